import { describe, expect, it } from 'vitest';
import { median, percentile, spreadOf } from './statistics.js';

describe('a percentile', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);

  it('is the value that this fraction is at or below', () => {
    expect(percentile(hundred, 0.5)).toBe(50);
    expect(percentile(hundred, 0.99)).toBe(99);
    expect(percentile(hundred, 1)).toBe(100);
  });

  it('is the only value if there is one, and NaN if there is none', () => {
    expect(percentile([7], 0.5)).toBe(7);
    expect(percentile([], 0.5)).toBeNaN();
  });
});

describe('the median', () => {
  it('is the middle value, or the mean of the two in the middle', () => {
    expect(median([5, 1, 3])).toBe(3);
    expect(median([4, 1, 3, 2])).toBe(2.5);
  });
});

describe('the spread', () => {
  it('is minimum, median and maximum', () => {
    expect(spreadOf([5, 1, 3])).toEqual({ min: 1, median: 3, max: 5 });
  });
});
