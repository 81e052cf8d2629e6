import { describe, expect, it } from 'vitest';
import { parseOverlap } from './key-input.js';

describe('an overlap', () => {
  it.each([
    ['0s', 0],
    ['0d', 0],
    ['PT0S', 0],
    ['90s', 90_000],
    ['24h', 86_400_000],
    ['30d', 30 * 86_400_000],
    ['P30D', 30 * 86_400_000],
    ['PT12H', 12 * 3_600_000],
  ])('is parsed from %s', (text, ms) => expect(parseOverlap(text)).toBe(ms));

  it.each(['', '0', '1', '-1s', '31d', 'P31D', '9999999d', '1w', '24 h', 'P', '00s'])(
    'is not parsed from %j',
    (text) => {
      expect(parseOverlap(text)).toBeUndefined();
    },
  );
});
