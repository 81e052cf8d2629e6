import { describe, expect, it } from 'vitest';
import { hashedId, IdFilter } from './id-filter.js';

/** Returns the id with this number; ids of different numbers differ. */
const idOf = (n: number) => Uint32Array.of(n, Math.imul(n, 0x9e3779b1), 7, Math.imul(n, 0x85ebca6b));
const hashOf = (n: number) => ({ ...hashedId(idOf(n), 0) });

/** Adds ids from number `from` on until the filter is full, at most `most`; returns the number of ids. */
function fill(filter: IdFilter, age: number, { from = 0, most = Infinity } = {}): number {
  let count = 0;
  for (; count < most && !filter.isFull; count++) filter.add(hashOf(from + count), age);
  return count;
}

describe('IdFilter', () => {
  it('finds every id that it has, with its ages, until it is full', () => {
    const filter = new IdFilter(50_000);
    const count = fill(filter, 3);
    expect([count, filter.size, filter.isFull]).toEqual([50_000, 50_000, true]);
    for (let n = 0; n < count; n++) expect(filter.agesOf(hashOf(n)) & (1 << 3)).toBe(1 << 3);
  });

  it('takes 3.4 bytes for each id', () => {
    const filter = new IdFilter(1_000_000);
    expect(filter.bytes).toBe(IdFilter.bytesOf(1_000_000));
    expect(filter.bytes / 1_000_000).toBeLessThan(3.4);
  });

  it('finds about one other id in 130 000', () => {
    const filter = new IdFilter(200_000);
    const count = fill(filter, 1);
    let found = 0;
    for (let n = 0; n < 2_000_000; n++) if (filter.agesOf(hashOf(count + n)) !== 0) found++;
    // 15 are expected; the seeds of the hashes are random.
    expect(found).toBeLessThan(50);
  });

  it('removes the ids of an age, and keeps all others', () => {
    const filter = new IdFilter(10_000);
    const old = fill(filter, 1, { most: 5_000 });
    const young = fill(filter, 2, { from: old });
    filter.remove(1);
    expect([filter.isFull, filter.size]).toEqual([false, young]);
    for (let n = 0; n < young; n++) expect(filter.agesOf(hashOf(old + n)) & (1 << 2)).toBe(1 << 2);
    let left = 0;
    for (let n = 0; n < old; n++) left += filter.agesOf(hashOf(n)) === 0 ? 0 : 1;
    expect(left).toBeLessThan(5);
    fill(filter, 3, { from: old + young, most: 4_000 });
    for (let n = 0; n < 4_000; n++) expect(filter.agesOf(hashOf(old + young + n)) & (1 << 3)).toBe(1 << 3);
    filter.remove(2);
    filter.remove(3);
    expect(filter.size).toBe(0);
  });
});
