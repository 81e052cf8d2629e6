import { describe, expect, it } from 'vitest';
import { histogramOf, intervalFor, intervalText, largest, stacked } from './histogram.js';

describe('a histogram', () => {
  it('has the largest types, and all others as one series', () => {
    const all = [
      { start: '1970-01-01T00:00:00Z', count: 5 },
      { start: '1970-01-01T00:02:00Z', count: 1 },
    ];
    const typed = [{ start: '1970-01-01T00:00:00Z', group: 'a', count: 3 }];
    const shape = { names: ['a'], range: [10, 170] as [number, number], intervalSeconds: 60 };
    expect(histogramOf({ all, typed }, shape)).toEqual({
      starts: [0, 60, 120],
      series: [
        { name: 'a', counts: [3, 0, 0] },
        { name: 'others', counts: [2, 0, 1] },
      ],
      intervalSeconds: 60,
    });
  });

  it('is stacked for drawing', () => {
    expect(stacked([{ counts: [1, 2] }, { counts: [3, 0] }])).toEqual([
      [1, 2],
      [4, 2],
    ]);
  });

  it.each([
    [60, 1, '1s'],
    [3_600, 60, '1m'],
    [86_400, 1800, '30m'],
    [30 * 86_400, 43_200, '12h'],
    [4_000 * 86_400, 40 * 86_400, '40d'],
  ])('of %d seconds has intervals of %d', (range, seconds, text) => {
    expect(intervalFor(range)).toBe(seconds);
    expect(intervalText(seconds)).toBe(text);
  });

  it('names the largest groups', () => {
    const buckets = [
      { group: 'a', count: 1 },
      { group: 'b', count: 5 },
      { group: null, count: 9 },
    ];
    expect(largest(buckets, 2)).toEqual(['b', 'a']);
  });
});
