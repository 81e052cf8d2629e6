import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { earliestTime, formatTime, latestTime, parseFormattedTime, parseTime } from './time.js';

const anyTime = fc.integer({ min: earliestTime, max: latestTime - 1 });

describe('times', () => {
  it('are parsed only up to the longest possible time, however long the text is', () => {
    let looks = 0;
    const long = `2026-11-21T04:00:00.${'1'.repeat(100_000)}Z`;
    const charCodeAt = (at: number): number => {
      looks++;
      return long.charCodeAt(at);
    };
    const counting = Object.assign(Object(long) as string, { charCodeAt });
    expect(parseTime(counting)).toBeUndefined();
    expect(looks).toBeLessThan(50);
  });

  it('are parsed from their text to the exact microsecond', () => {
    fc.assert(fc.property(anyTime, (micros) => parseTime(formatTime(micros)) === micros));
    fc.assert(fc.property(anyTime, (micros) => parseFormattedTime(formatTime(micros)) === micros));
  });

  it('are formatted like toISOString, with six digits of fraction', () => {
    fc.assert(
      fc.property(anyTime, (micros) => {
        const millis = Math.floor(micros / 1000);
        const iso = new Date(millis).toISOString();
        return formatTime(micros).startsWith(iso.slice(0, -1)) && formatTime(micros).length === 27;
      }),
    );
  });

  it('are parsed like Date parses them, with any offset', () => {
    const offset = fc.integer({ min: -1439, max: 1439 });
    fc.assert(
      fc.property(fc.integer({ min: -2e12, max: 7e12 }), offset, (millis, minutes) => {
        const shown = new Date(millis + minutes * 60_000).toISOString().slice(0, -1);
        const [sign, size] = minutes < 0 ? ['-', -minutes] : ['+', minutes];
        const clock = [Math.floor(size / 60), size % 60].map((n) => String(n).padStart(2, '0')).join(':');
        expect(parseTime(`${shown}${sign}${clock}`)).toBe(millis * 1000);
      }),
    );
  });

  it.each([
    ['2026-11-21T04:00:00Z', 1795233600000000],
    ['2026-11-21t04:00:00.5z', 1795233600500000],
    ['2026-11-21T04:00:00.123456789Z', 1795233600123456],
    ['2024-02-29T00:00:00Z', 1709164800000000],
    ['2000-02-29T23:59:59.999999-00:00', 951868799999999],
    ['1900-01-01T00:00:00Z', earliestTime],
    ['2199-12-31T23:59:59.999999Z', latestTime - 1],
  ])('reads %s', (text, micros) => expect(parseTime(text)).toBe(micros));

  it.each([
    '',
    'now',
    '2026-11-21',
    '2026-11-21T04:00Z',
    '2026-11-21 04:00:00Z',
    '2026-11-21T04:00:00',
    '2026-11-21T04:00:00.Z',
    '2026-11-21T04:00:00.1234567890Z',
    '2026-11-21T04:00:00ZZ',
    '2026-11-21T04:00:00+0100',
    '2026-11-21T04:00:00+24:00',
    '2026-11-21T04:00:00+01:60',
    '2026-11-21T24:00:00Z',
    '2026-11-21T04:60:00Z',
    '2026-11-21T04:00:60Z',
    '2026-02-30T00:00:00Z',
    '2100-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '0050-01-01T00:00:00Z',
    '1899-12-31T23:59:59Z',
    '2200-01-01T00:00:00Z',
    '+2026-1-21T04:00:00Z',
    '２０26-11-21T04:00:00Z',
    '1795233600000',
  ])('rejects %s', (text) => expect(parseTime(text)).toBeUndefined());
});
