import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonByteScanner } from './json-byte-scanner.js';
import { limits } from './limits.js';

/** Whether `JsonByteScanner` accepts the whole text as one JSON object. */
function isObject(text: string): boolean {
  const bytes = Buffer.from(text);
  return new JsonByteScanner().object(bytes, 0) === bytes.length;
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const nested = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;

describe('JsonByteScanner', () => {
  it('accepts every object that JSON.stringify writes', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()),
        fc.nat(3),
        (value, indent) => {
          expect(isObject(JSON.stringify(value, null, indent))).toBe(true);
        },
      ),
    );
  });

  it('agrees with JSON.parse on texts that are almost JSON', () => {
    const piece = fc.constantFrom(
      ...[
        '{',
        '}',
        '[',
        ']',
        ':',
        ',',
        '"',
        '"a"',
        '"b":',
        '\\',
        '\\n',
        '\\u00e4',
        '\\x',
        'true',
        'null',
        'tru',
      ],
      ...[
        'false',
        '-',
        '0',
        '01',
        '1',
        '.5',
        '.',
        'e',
        'E+1',
        '-0',
        '1.5e-3',
        ' ',
        '\n',
        '\t',
        '\v',
        'ä',
        '\u0001',
      ],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        for (const text of [`{${pieces.join('')}}`, `{"a":${pieces.join('')}}`, `{"a":[${pieces.join('')}]}`])
          expect(isObject(text)).toBe(parses(text));
      }),
      { numRuns: 3000 },
    );
  });

  it.each(['', '[]', '"a"', '1', 'null', ' {}'])(
    'rejects a text that does not begin with an object: %j',
    (text) => {
      expect(isObject(text)).toBe(false);
    },
  );

  it('ends at the end of the object, whatever follows', () => {
    expect(new JsonByteScanner().object(Buffer.from('x{"a":{}}}'), 1)).toBe(9);
  });

  it('accepts the nesting that an event may have, and no deeper one', () => {
    expect([isObject(nested(limits.jsonDepth)), isObject(nested(limits.jsonDepth + 1))]).toEqual([
      true,
      false,
    ]);
  });

  it.each(Array.from('{"a":[1,true,"\\u00e4"]}', (_, i) => i))(
    'rejects an object that is cut off after %d bytes',
    (length) => {
      expect(isObject('{"a":[1,true,"\\u00e4"]}'.slice(0, length))).toBe(false);
    },
  );

  it('reports whether a string has characters beyond ASCII', () => {
    const scanner = new JsonByteScanner();
    scanner.object(Buffer.from('{"a":"b"}'), 0);
    expect(scanner.high).toBeLessThan(0x80);
    scanner.object(Buffer.from('{"ä":"b"}'), 0);
    expect(scanner.high).toBeGreaterThanOrEqual(0x80);
  });
});
