import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { formats } from './formats.js';

interface Suite {
  formats: Record<string, { valid: string[]; invalid: string[] }>;
}

const suite = JSON.parse(readFileSync('packages/json-schema/test-suite/formats.json', 'utf8')) as Suite;

describe('formats', () => {
  it('are exactly the formats for which the official test suite has cases', () => {
    expect(Object.keys(suite.formats).sort()).toEqual([...formats.keys()].sort());
  });

  it.each(Object.entries(suite.formats))('%s passes the official test suite', (name, { valid, invalid }) => {
    const fits = formats.get(name)!;
    expect(valid.filter((text) => !fits(text))).toEqual([]);
    expect(invalid.filter((text) => fits(text))).toEqual([]);
  });

  it.each([
    ['date-time', '2016-12-31T23:59:60Z', true],
    ['date-time', '2026-02-28T23:59:60Z', false],
    ['date-time', '2026-02-28T23:59:59.123456789012345Z', true],
    ['date-time', '2026-02-28T01:02:03+01:00', true],
    ['date-time', '2026-02-29T01:02:03Z', false],
    ['date-time', '2024-02-29T01:02:03Z', true],
    ['uuid', 'urn:uuid:6f1c1b1e-0000-4000-8000-000000000001', false],
    ['email', `${'a'.repeat(321)}@example.com`, false],
    ['email', 'a@[unknown:tag]', false],
    ['hostname', 'xn--', false],
  ])('%s: the validity of %s is %s', (name, text, expected) => {
    expect(formats.get(name)?.(text)).toBe(expected);
  });

  it.each([...formats.keys()])('%s takes time in proportion to the text', (name) => {
    const start = process.cpuUsage();
    for (const piece of [
      'a',
      '1',
      '-',
      '.',
      ':',
      '/',
      '@',
      'a.',
      '%',
      '%41',
      '{',
      '{a}',
      '~0',
      '"',
      '[',
      '\n',
    ])
      for (const begin of ['', 'http://', 'http://[', 'a@', 'P', '/', '"'])
        formats.get(name)?.(`${begin}${piece.repeat(200_000 / piece.length)}!`);
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(15_000);
  });
});
