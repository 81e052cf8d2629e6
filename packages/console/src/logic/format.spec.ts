import { describe, expect, it } from 'vitest';
import { ago, bytes, clockTime, duration, grouped, short, tableTime } from './format.js';

describe('numbers', () => {
  it('are grouped without rounding', () => {
    expect(grouped('9223372036854775808')).toBe('9 223 372 036 854 775 808');
    expect(grouped(1234.5)).toBe('1 234.5');
    expect(grouped(999)).toBe('999');
  });

  it.each([
    [0, '0'],
    [999, '999'],
    [1234, '1.23k'],
    [34_500_000, '34.5M'],
  ])('%d is short: %s', (value, text) => expect(short(value)).toBe(text));

  it.each([
    [0, '0 B'],
    [1536, '1.5 KiB'],
    [10 * 1024 * 1024, '10 MiB'],
  ])('%d bytes are %s', (value, text) => expect(bytes(value)).toBe(text));
});

describe('times', () => {
  it.each([
    [0, '0 s'],
    [0.25, '250 ms'],
    [59, '59 s'],
    [61, '1 min 1 s'],
    [3600, '1 h'],
    [90_000, '1 d 1 h'],
  ])('%d seconds are %s', (seconds, text) => expect(duration(seconds)).toBe(text));

  it('are before or after now', () => {
    const now = Date.parse('2026-01-01T00:01:00Z');
    expect(ago('2026-01-01T00:00:00Z', now)).toBe('1 min ago');
    expect(ago('2026-01-01T00:02:00Z', now)).toBe('in 1 min');
    expect(ago('2099-05-06T00:00:00Z', now)).toBe('2099-05-06');
    expect(ago('soon', now)).toBe('soon');
  });

  it('have milliseconds in a table', () => {
    expect(tableTime('2026-01-02T03:04:05.123456Z')).toBe('2026-01-02 03:04:05.123');
  });

  it('of a day have seconds, in UTC', () => {
    expect(clockTime(Date.parse('2026-01-02T03:04:05.999Z'))).toBe('03:04:05');
  });
});
