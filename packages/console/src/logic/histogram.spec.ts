import { describe, expect, it } from 'vitest';
import {
  histogramOf,
  intervalAt,
  intervalFor,
  intervalText,
  largest,
  spanText,
  stacked,
  wholeIntervals,
} from './histogram.js';

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
      shown: [10, 170],
    });
  });

  it.each([
    [
      [10, 170],
      [10, 170],
    ],
    [
      [0, 180],
      [0, 180],
    ],
    // A bar that has just begun, or that is almost over, can still be seen.
    [
      [59, 121],
      [42, 138],
    ],
  ] as [[number, number], [number, number]][])('of the range %j shows %j', (range, shown) => {
    const shape = { names: [], range, intervalSeconds: 60 };
    expect(histogramOf({ all: [], typed: [] }, shape).shown).toEqual(shown);
  });

  it('of everything has whole intervals, up to the last event', () => {
    expect(wholeIntervals([10, 3_599])).toEqual([0, 3_600]);
    expect(wholeIntervals([10, 3_600])).toEqual([0, 3_660]);
    expect(wholeIntervals([5, 5])).toEqual([5, 6]);
  });

  it('finds the interval of a time', () => {
    const shape = { names: [], range: [60, 180] as [number, number], intervalSeconds: 60 };
    const histogram = histogramOf({ all: [], typed: [] }, shape);
    expect([59, 60, 119.9, 179, 180].map((time) => intervalAt(histogram, time))).toEqual([
      ...[undefined, 0, 0, 1, undefined],
    ]);
  });

  it.each([
    [0, 60, '1970-01-01 00:00 – 00:01'],
    [86_395, 5, '1970-01-01 23:59:55 – 1970-01-02 00:00:00'],
    [0, 86_400, '1970-01-01'],
    [0, 604_800, '1970-01-01 – 1970-01-08'],
  ])('names the interval at %d of %d seconds %s', (start, length, text) => {
    expect(spanText(start, length)).toBe(text);
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
