import { describe, expect, it } from 'vitest';
import { chartOf } from './sql-chart.js';

const perMinute = [
  ['"2026-01-01 00:01:00"', '"2"', '"a"', '5.50'],
  ['"2026-01-01 00:00:00"', '1', '"b"', 'null'],
];
const names = ['t', 'n', 'name', 'sum'];

describe('the chart of an SQL result', () => {
  it('has times on x, in order, and all numbers as lines', () => {
    expect(chartOf(names, perMinute)).toMatchObject({
      ...{ kinds: ['line', 'bars'], kind: 'line', x: 't', y: undefined },
      ...{ xNames: ['t', 'n'], yNames: ['n', 'sum'] },
      chart: {
        x: [1767225600, 1767225660],
        isTime: true,
        series: [
          { name: 'n', values: [1, 2] },
          { name: 'sum', values: [null, 5.5] },
        ],
      },
    });
  });

  it('has bars for texts, with exact values, in the order of the rows', () => {
    const rows = [
      ['"b"', '10000000000000000001'],
      ['"a"', '2'],
      ['null', '3'],
    ];
    expect(chartOf(['name', 'n'], rows)).toEqual({
      ...{ kinds: ['bars'], kind: 'bars', xNames: ['name'], x: 'name', yNames: ['n'], y: 'n' },
      chart: {
        kind: 'bars',
        bars: [
          { category: 'b', value: 1e19, text: '10000000000000000001' },
          { category: 'a', value: 2, text: '2' },
          { category: 'null', value: 3, text: '3' },
        ],
        omitted: 0,
      },
    });
  });

  it('shows the chosen kind and columns', () => {
    expect(chartOf(names, perMinute, { kind: 'bars', x: 'name', y: 'sum' })).toMatchObject({
      ...{ kind: 'bars', x: 'name', y: 'sum' },
      chart: { bars: [{ category: 'a', text: '5.50' }], omitted: 1 },
    });
    expect(chartOf(names, perMinute, { x: 'n', y: 'sum' })).toMatchObject({
      ...{ kind: 'line', x: 'n', y: 'sum' },
      chart: { x: [1, 2], isTime: false, series: [{ name: 'sum' }] },
    });
    expect(chartOf(names, perMinute, { x: 'name' })).toMatchObject({ kind: 'bars', x: 'name' });
  });

  it('has a line for each text, if times repeat, and says how many it leaves out', () => {
    const rows = [
      ['"2026-01-01 00:01:00"', '"a"', '3'],
      ['"2026-01-01 00:00:00"', '"a"', '1'],
      ['"2026-01-01 00:00:00"', '"b"', '2'],
    ];
    expect(chartOf(['t', 'type', 'n'], rows)!.chart).toMatchObject({
      x: [1767225600, 1767225660],
      series: [
        { name: 'a', values: [1, 3] },
        { name: 'b', values: [2, null] },
      ],
      omitted: 0,
    });
    const many = Array.from({ length: 10 }, (_, i) => ['"2026-01-01"', `"c${i}"`, '1']);
    expect(chartOf(['t', 'type', 'n'], many)!.chart).toMatchObject({ kind: 'line', omitted: 2 });
  });

  it('ignores a choice that does not fit the result', () => {
    const shown = chartOf(names, perMinute, { kind: 'pie', x: 'gone', y: 'name' });
    expect(shown).toMatchObject({ kind: 'line', x: 't', y: undefined });
    expect(chartOf(names, perMinute, { kind: 'line', x: 'name' })).toMatchObject({ kind: 'line', x: 't' });
    const texts = [
      ['"a"', '1'],
      ['"b"', '2'],
    ];
    expect(chartOf(['s', 'n'], texts, { kind: 'line' })).toMatchObject({ kind: 'bars', x: 's' });
  });

  it('has at most fifty bars, and says how many rows have none', () => {
    const rows = Array.from({ length: 60 }, (_, i) => [`"c${i}"`, String(i)]);
    const { chart } = chartOf(['c', 'n'], rows)!;
    expect(chart).toMatchObject({ kind: 'bars', omitted: 10 });
    expect(chart.kind === 'bars' && chart.bars.length).toBe(50);
  });

  it.each([
    [
      'no numbers',
      ['t', 's'],
      [
        ['"b"', '"a"'],
        ['"c"', '"b"'],
      ],
    ],
    ['one column', ['t'], [['1'], ['2']]],
    ['one row', ['t', 'n'], [['1', '2']]],
    [
      'only nulls',
      ['t', 'n'],
      [
        ['"a"', 'null'],
        ['"b"', 'null'],
      ],
    ],
  ])('is none with %s', (_name, columns, rows) => expect(chartOf(columns, rows)).toBeUndefined());
});
