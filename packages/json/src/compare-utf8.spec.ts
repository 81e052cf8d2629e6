import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareUtf8 } from './compare-utf8.js';

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('a', '\u{e000}', '\u{ffff}', '\u{10000}', '\u{10ffff}') }),
);

it('orders texts like the bytes of their UTF-8', () => {
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(Math.sign(compareUtf8(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
  );
});
