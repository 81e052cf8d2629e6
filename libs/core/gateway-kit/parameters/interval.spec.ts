import { describe, expect, it } from 'vitest';
import { parseInterval } from './decorators.js';

describe('the length of a bucket', () => {
  it.each([
    ['1s', 1],
    ['90s', 90],
    ['5m', 300],
    ['1h', 3600],
    ['1d', 86_400],
    ['366d', 366 * 86_400],
  ])('is parsed: %s is %d seconds', (text, seconds) => {
    expect(parseInterval(text)).toBe(seconds);
  });

  it.each(['', '0s', '-1m', '1', 'm', '1w', '1.5h', '1e3s', 'NaN', ' 1m', '1M', '367d', '99999999d', '1m\n'])(
    'is not parsed from %j',
    (text) => {
      expect(parseInterval(text)).toBeUndefined();
    },
  );
});
