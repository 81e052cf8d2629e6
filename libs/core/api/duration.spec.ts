import { describe, expect, it } from 'vitest';
import { durationMs } from './duration.js';

describe('a duration', () => {
  it.each([
    ['7d', 7 * 86_400_000],
    ['12h', 12 * 3_600_000],
    ['P30D', 30 * 86_400_000],
    ['PT12H', 12 * 3_600_000],
    ['P1DT1H1M1S', 90_061_000],
  ])('%s', (text, ms) => expect(durationMs(text)).toBe(ms));

  it.each(['', 'P', '0d', '7w', 'PT0S', 'P1Y', 'PT1.5H'])('cannot be %j', (text) => {
    expect(() => durationMs(text)).toThrow(RangeError);
  });
});
