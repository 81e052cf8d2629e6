import { describe, expect, it } from 'vitest';
import { figure, goal, markdownTable, ratioOf } from './report.js';

describe('the table of results', () => {
  it('contains median, spread, comparison and goals of each figure', () => {
    const table = markdownTable([
      {
        measure: 'P1',
        what: 'batches of 500',
        unit: 'events/s',
        runs: [90_000, 110_000, 100_000],
        baseline: { what: 'kafkajs alone', runs: [120_000, 125_000, 130_000] },
        must: goal(0.8, { atLeast: 0.8 }),
        aim: goal(0.8, { atLeast: 1.5 }),
      },
    ]);
    expect(table.split('\n')[2]).toBe(
      '| P1 | batches of 500 | 100 000 events/s | 90 000 to 110 000 | kafkajs alone: 125 000 | 0.80 | ≥ 0.8: yes | ≥ 1.5: **no** |',
    );
  });

  it('leaves out missing parts of a figure', () => {
    const table = markdownTable([{ measure: 'P9', what: 'idle', unit: '%', runs: [1.234] }]);
    expect(table.split('\n')[2]).toBe('| P9 | idle | 1.23 % | 1.23 to 1.23 |  |  |  |  |');
  });
});

describe('a goal', () => {
  it('"at least" is reached at the bound, "below" is not', () => {
    expect(goal(12_000, { atLeast: 12_000 }).reached).toBe(true);
    expect(goal(25, { below: 25 }, 'ms')).toEqual({ text: '< 25 ms', reached: false });
  });
});

describe('a ratio', () => {
  it('compares medians', () => {
    expect(ratioOf({ runs: [1, 2, 9], baseline: { what: 'x', runs: [4, 4, 4] } })).toBe(0.5);
  });
});

describe('a figure', () => {
  it('shows the significant digits', () => {
    expect([123_456.7, 123.4, 12.34, 1.234, NaN].map(figure)).toEqual([
      '123 457',
      '123',
      '12.3',
      '1.23',
      '-',
    ]);
  });
});
