import { describe, expect, it } from 'vitest';
import { sqlChart } from './sql-chart.js';

describe('the chart of an SQL result', () => {
  it('has times on x, in order, and numbers as series', () => {
    const rows = [
      ['"2026-01-01 00:01:00"', '"2"', '"a"'],
      ['"2026-01-01 00:00:00"', '1', '"b"'],
    ];
    expect(sqlChart(['t', 'n', 'name'], rows)).toEqual({
      x: [1767225600, 1767225660],
      isTime: true,
      series: [{ name: 'n', values: [1, 2] }],
    });
  });

  it.each([
    [
      'texts on x',
      ['t', 'n'],
      [
        ['"a"', '1'],
        ['"b"', '2'],
      ],
    ],
    [
      'no numbers',
      ['t', 's'],
      [
        ['1', '"a"'],
        ['2', '"b"'],
      ],
    ],
    ['one column', ['t'], [['1'], ['2']]],
    ['one row', ['t', 'n'], [['1', '2']]],
  ])('is none with %s', (_name, columns, rows) => expect(sqlChart(columns, rows)).toBeUndefined());
});
