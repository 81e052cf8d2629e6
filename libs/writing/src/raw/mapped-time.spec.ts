import { describe, expect, it } from 'vitest';
import { formatTime } from '#event';
import { mappedTime } from './mapped-time.js';

describe('a mapped time', () => {
  it.each([
    ['2026-11-21T04:00:00.5Z', '2026-11-21T04:00:00.500000Z'],
    ['1795233600', '2026-11-21T04:00:00.000000Z'],
    ['1795233600.000123', '2026-11-21T04:00:00.000123Z'],
    ['1795233600.0001239', '2026-11-21T04:00:00.000123Z'],
    ['1795233600123', '2026-11-21T04:00:00.123000Z'],
    ['1795233600123.4', '2026-11-21T04:00:00.123400Z'],
    ['1795233600123456', '2026-11-21T04:00:00.123456Z'],
    ['1795233600123456789', '2026-11-21T04:00:00.123456Z'],
    ['0', '1970-01-01T00:00:00.000000Z'],
  ])('parses %s', (text, expected) => {
    expect(formatTime(mappedTime(text)!)).toBe(expected);
  });

  it.each(['', '-1', '1e9', '1.', '.5', '99999999999', '9'.repeat(21), '1 ', '2026-11-21'])(
    'rejects "%s"',
    (text) => expect(mappedTime(text)).toBeUndefined(),
  );
});
