import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonScanner } from './json-scanner.js';

/**
 * Scans the whole text with `JsonScanner`. Returns why and where the scan failed, or undefined if the text is valid
 * JSON.
 */
function scan(text: string): string | undefined {
  const scanner = new JsonScanner(text);
  const end = scanner.value(scanner.space(0), 0);
  if (end < 0) return scanner.failure;
  return scanner.space(end) === text.length ? undefined : 'syntax';
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const pieces = [
  ...['{', '}', '[', ']', ':', ',', '"', '\\', ' ', '\t', '\n', '\r', '\u00a0', '\ufeff', '\u0000', '\u001f'],
  ...['-', '+', '.', '0', '1', '9', 'e', 'E', 'u', 'n', 'true', 'false', 'null', 'nul', 'NaN', 'Infinity'],
  ...[
    '"a"',
    '"b":1',
    '\\u12',
    '\\ud800',
    '\\"',
    '\\/',
    '\\x',
    '\u007f',
    '\u2028',
    'é',
    '😀',
    '//',
    '0x1',
    '1e5',
  ],
];

describe('the JSON scanner', () => {
  it('accepts every text that JSON.stringify writes, with any white space', () => {
    const indents = fc.constantFrom(undefined, 1, '\t');
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 10 }), indents, (value, indent) => {
        expect(scan(` ${JSON.stringify(value, null, indent)}\r\n`)).toBeUndefined();
      }),
    );
  });

  it('accepts exactly what JSON.parse accepts: random sequences of JSON pieces', () => {
    const texts = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(texts, (text) => (scan(text) === undefined) === isJson(text)),
      { numRuns: 20_000 },
    );
  });

  it('accepts exactly what JSON.parse accepts: JSON with one random change', () => {
    const change = fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      cut: fc.integer({ min: 0, max: 2 }),
    });
    const broken = fc
      .tuple(fc.jsonValue({ maxDepth: 4 }), change, fc.constantFrom('', ...pieces))
      .map(([value, { at, cut }, piece]) => {
        const text = JSON.stringify(value);
        const i = Math.floor(at * text.length);
        return text.slice(0, i) + piece + text.slice(i + cut);
      });
    fc.assert(
      fc.property(broken, (text) => (scan(text) === undefined) === isJson(text)),
      { numRuns: 20_000 },
    );
  });

  it('accepts exactly the numbers that JSON.parse accepts', () => {
    const numbers = fc.string({ unit: fc.constantFrom(...'-+.eE0129'), maxLength: 8 });
    fc.assert(
      fc.property(numbers, (text) => (scan(text) === undefined) === isJson(text)),
      { numRuns: 20_000 },
    );
  });

  it.each([
    ['64 levels', '['.repeat(64) + ']'.repeat(64), undefined],
    ['65 levels', '['.repeat(65) + ']'.repeat(65), 'depth'],
    ['65 levels of objects', '{"a":'.repeat(65) + '1' + '}'.repeat(65), 'depth'],
    ['a million levels', '['.repeat(1_000_000), 'depth'],
  ])('limits nesting before the stack is exhausted: %s', (_name, text, failure) => {
    expect(scan(text)).toBe(failure);
  });

  describe('detects a duplicate name in one object', () => {
    const noticed = (text: string) => {
      const scanner = new JsonScanner(text);
      scanner.value(0, 0);
      return { duplicate: scanner.duplicate, uncertain: scanner.uncertain };
    };
    const many = (extra: string) =>
      `{${Array.from({ length: 20 }, (_, i) => `"k${i}":0`).join(',')}${extra}}`;

    it.each([
      ['{"a":1,"a":2}', true, false],
      ['{"a":1,"b":{"x":1,"y":2,"x":3}}', true, false],
      ['[{"a":1},{"b":[{"c":1,"c":1}]}]', true, false],
      ['{"__proto__":1,"__proto__":2}', true, false],
      ['{"":1,"":2}', true, false],
      ['{"a":{"a":{"a":1}},"b":{"a":1}}', false, false],
      ['[{"a":1},{"a":1}]', false, false],
      ['{"a":1,"A":2,"aa":3}', false, false],
      ['{"a":1,"\\u0061":2}', false, true],
      [many(''), false, true],
    ])('%s', (text, duplicate, uncertain) => {
      expect(noticed(text)).toEqual({ duplicate, uncertain });
    });
  });

  it.each(['[1,\n2]', '{"a":\n1}', '{\n}', '[1\n]'])(
    'stops at the end of a line with the option `lines`: %j',
    (text) => {
      const scanner = new JsonScanner(text, { lines: true });
      expect(scanner.value(0, 0)).toBe(-1);
      expect(scanner.failedAt).toBe(text.indexOf('\n'));
    },
  );
});
