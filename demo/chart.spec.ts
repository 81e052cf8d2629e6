import { describe, expect, it } from 'vitest';
import { barChart, groupDigits } from './chart.js';

describe('a bar chart', () => {
  it('draws the largest value with the whole width and the others in proportion', () => {
    expect(
      barChart(
        [
          { label: 'a', value: 100 },
          { label: 'bb', value: 50 },
        ],
        4,
      ),
    ).toEqual([' a ████ 100', 'bb ██ 50']);
  });

  it('draws fractions of a character', () => {
    expect(
      barChart(
        [
          { label: 'a', value: 8 },
          { label: 'b', value: 3 },
        ],
        1,
      )[1],
    ).toBe('b ▍ 3');
  });

  it('draws a small value differently from zero', () => {
    expect(
      barChart(
        [
          { label: 'a', value: 1_000_000 },
          { label: 'b', value: 1 },
          { label: 'c', value: 0 },
        ],
        10,
      ).slice(1),
    ).toEqual(['b ▏ 1', 'c  0']);
  });

  it('writes the given text after the bar instead of the value', () => {
    expect(barChart([{ label: 'a', value: 0.5, text: '50 %' }], 1)).toEqual(['a █ 50 %']);
  });

  it('is empty without values, and flat when all values are zero', () => {
    expect(barChart([], 10)).toEqual([]);
    expect(barChart([{ label: 'a', value: 0 }], 10)).toEqual(['a  0']);
  });
});

describe('a grouped number', () => {
  it('has separated thousands', () => {
    expect([0, 999, 1000, 1234567, 1234.5].map(groupDigits)).toEqual([
      '0',
      '999',
      '1 000',
      '1 234 567',
      '1 234.5',
    ]);
  });
});
