import fc from 'fast-check';
import { expect, it } from 'vitest';
import { byteLength } from './event-text.js';

it('returns the number of bytes in UTF-8', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(byteLength(text)).toBe(Buffer.byteLength(text));
    }),
  );
});
