import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lastIndexIn, SubstringSearch } from './substring-search.js';

const texts = (maxLength: number) =>
  fc.oneof(
    fc.array(fc.constantFrom('a', 'b'), { maxLength }).map((units) => units.join('')),
    fc.array(fc.constantFrom('ab', 'a', '😀', 'é'), { maxLength }).map((units) => units.join('')),
  );

describe('a search in a text', () => {
  it('finds the first and the last position, and splits, like the engine', () => {
    const part = texts(40).filter((text) => text.length > 0);
    fc.assert(
      fc.property(texts(300), part, fc.nat(30), (text, searched, times) => {
        const all = searched.repeat(times % 4) + text + searched.repeat(times % 3);
        const search = new SubstringSearch(searched);
        expect(search.first(all)).toBe(all.indexOf(searched));
        expect(search.first(all, times)).toBe(all.indexOf(searched, times));
        expect(lastIndexIn(all, searched)).toBe(all.lastIndexOf(searched));
        expect(search.split(all)).toEqual(all.split(searched));
      }),
      { numRuns: 500 },
    );
  });

  it('handles long parts of one character, at both ends', () => {
    const part = 'a'.repeat(20);
    expect(new SubstringSearch(part).first('a'.repeat(19))).toBe(-1);
    expect(new SubstringSearch(part).split('a'.repeat(45))).toEqual(['', '', 'aaaaa']);
    expect(lastIndexIn('b'.repeat(20) + part, part)).toBe(20);
  });

  it('reads each character a few times only, for any part', () => {
    const looked = { at: 0 };
    const text = counted('a'.repeat(30_000), looked);
    const part = `${'a'.repeat(1_000)}b${'a'.repeat(15_000)}`;
    expect(new SubstringSearch(part).first(text)).toBe(-1);
    expect(looked.at).toBeLessThanOrEqual(30_000);
    expect(lastIndexIn(text, part)).toBe(-1);
    expect(looked.at).toBeLessThanOrEqual(60_000);
  });
});

/** Returns an object that behaves like the text and counts in `looked` how often its characters are read. */
function counted(text: string, looked: { at: number }): string {
  const charCodeAt = (at: number) => (looked.at++, text.charCodeAt(at));
  return { length: text.length, charCodeAt } as unknown as string;
}
