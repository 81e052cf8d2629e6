import { describe, expect, it } from 'vitest';
import { formats } from './formats.js';

describe('formats', () => {
  it.each([
    ['date-time', '2026-02-28T23:59:60Z', true],
    ['date-time', '2026-02-28T23:58:60Z', false],
    ['date-time', '2026-02-28T23:59:59.123456789012345Z', true],
    ['date-time', '2026-02-28T01:02:03+01:00', true],
    ['date-time', '2026-02-29T01:02:03Z', false],
    ['date-time', '2024-02-29T01:02:03Z', true],
    ['date-time', '2026-13-01T01:02:03Z', false],
    ['date', '2026-04-31', false],
    ['uuid', '6f1c1b1e-0000-4000-8000-000000000001', true],
    ['uuid', 'urn:uuid:6f1c1b1e-0000-4000-8000-000000000001', false],
    ['email', 'a@example.com', true],
    ['email', 'a@', false],
    ['uri', 'https://example.com/a?b#c', true],
    ['uri', 'no uri', false],
    ['ipv4', '127.0.0.1', true],
    ['duration', 'P1DT2H', true],
  ])('%s: %s is %s', (name, text, expected) => {
    expect(formats.get(name)?.(text)).toBe(expected);
  });

  it.each([...formats.keys()])('%s takes time in proportion to the text', (name) => {
    const start = performance.now();
    for (const piece of ['a', '1', '-', '.', ':', '/', '@', 'a.', '%', '{', '~0', '\n'])
      for (const begin of ['', 'http://', 'a@', 'P', '/'])
        formats.get(name)?.(`${begin}${piece.repeat(200_000 / piece.length)}!`);
    expect(performance.now() - start).toBeLessThan(15_000);
  });
});
