import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasIndex, isSameBitmap, joinedAt, noOffsets, withIndexes } from './offset-bitmap.js';

const indexes = fc.array(fc.nat(60));
const all = Array.from({ length: 64 }, (_, index) => index);
const of = (bitmap: Uint8Array) => all.filter((index) => hasIndex(bitmap, index));
const sorted = (list: readonly number[]) => [...new Set(list)].sort((a, b) => a - b);

describe('a bitmap of offsets', () => {
  it('has the indexes that were added', () => {
    fc.assert(
      fc.property(indexes, indexes, (some, more) => {
        expect(of(withIndexes(withIndexes(noOffsets, some), more))).toEqual(sorted([...some, ...more]));
      }),
    );
  });

  it('is joined from two others at any index', () => {
    fc.assert(
      fc.property(indexes, indexes, fc.nat(70), (first, second, at) => {
        const joined = joinedAt(at, withIndexes(noOffsets, first), withIndexes(noOffsets, second));
        const wanted = [...first.filter((index) => index < at), ...second.filter((index) => index >= at)];
        expect(of(joined)).toEqual(sorted(wanted));
        expect(isSameBitmap(joined, withIndexes(noOffsets, wanted))).toBe(true);
      }),
    );
  });
});
