import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { charactersOf, hasCharacters } from './characters.js';

describe('the characters of a text', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['é', 1],
    ['e\u0301', 2],
    ['😀', 1],
    ['👨‍👩‍👧', 5],
    ['❤\ufe0f', 2],
    ['🇩🇪', 2],
    ['\ud83d', 1],
    ['\ude00\ud83d', 2],
  ])('of %j are counted as %d code points', (text, count) => {
    expect(charactersOf(text)).toBe(count);
  });

  it('are compared with bounds by their number of code points', () => {
    const unit = fc.constantFrom('a', 'é', '😀', 'e\u0301', '\ud83d', '\ude00', '\ufe0f');
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 12 }), fc.nat(12), fc.nat(12), (text, least, most) => {
        const count = [...text].length;
        expect(hasCharacters(text, { least, most })).toBe(count >= least && count <= most);
      }),
    );
  });
});
