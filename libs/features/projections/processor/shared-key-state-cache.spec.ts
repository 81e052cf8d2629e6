import { describe, expect, it } from 'vitest';
import {
  SharedKeyStateCache,
  type CachedKeyState,
  type PartitionKeyStateCache,
} from './shared-key-state-cache.js';

const entry = (key: string, weight = 0): CachedKeyState => ({
  ...{ key, state: [0], events: 1, lastOffset: 0, updatedAt: 0, weight },
});

/** Changes and saves the entries of these keys one after another. */
function keep(keys: PartitionKeyStateCache, ...entries: CachedKeyState[]): void {
  for (const one of entries) keys.change(one);
  for (const one of entries) keys.saved(one, one.lastOffset);
}

const open = (cache: SharedKeyStateCache) => cache.open({ complete: true });

describe('SharedKeyStateCache', () => {
  it('evicts the key that was changed longest ago, over all partitions', () => {
    const cache = new SharedKeyStateCache({ keys: 2, weight: 1e6 });
    const [a, b] = [open(cache), open(cache)];
    const first = entry('first');
    keep(a, first);
    keep(b, entry('second'));
    keep(a, first);
    keep(b, entry('third'));
    expect([a.get('first'), b.get('second'), b.get('third')].map((found) => found?.key)).toEqual([
      'first',
      undefined,
      'third',
    ]);
    expect([a.mayBeStored('second'), b.mayBeStored('second'), b.mayBeStored('fourth')]).toEqual([
      ...[false, true, false],
    ]);
  });

  it('keeps unsaved keys beyond the bound, and evicts them after they are saved', () => {
    const cache = new SharedKeyStateCache({ keys: 1, weight: 1e6 });
    const keys = open(cache);
    const all = ['a', 'b', 'c'].map((key) => entry(key));
    for (const one of all) keys.change(one);
    expect(cache.size).toBe(3);
    for (const one of all) keys.saved(one, 0);
    expect(cache.size).toBe(1);
    expect(keys.get('c')).toBe(all[2]);
  });

  it('treats a key that is changed during its save as unsaved', () => {
    const keys = open(new SharedKeyStateCache({ keys: 1, weight: 1e6 }));
    const one = entry('a');
    keys.change(one);
    one.lastOffset = 5;
    keys.saved(one, 0);
    expect(keys.changed.size).toBe(1);
    keys.saved(one, 5);
    expect(keys.changed.size).toBe(0);
    expect(keys.changedWeight).toBe(0);
  });

  it('adds a key again that was evicted while it was being changed', () => {
    const cache = new SharedKeyStateCache({ keys: 1, weight: 1e6 });
    const keys = open(cache);
    const one = entry('a');
    keep(keys, one, entry('b'));
    expect(keys.get('a')).toBeUndefined();
    keys.change(one);
    expect(keys.get('a')).toBe(one);
    expect(cache.size).toBe(2);
  });

  it('is also bounded in characters, including those that are added later', () => {
    const cache = new SharedKeyStateCache({ keys: 100, weight: 10_000 });
    const keys = open(cache);
    const all = Array.from({ length: 10 }, (_, n) => entry(`${n}`));
    keep(keys, ...all);
    expect(cache.size).toBe(10);
    keys.change(all[9]!);
    keys.weigh(all[9]!, 9000);
    keep(keys, all[9]!);
    expect(cache.size).toBeLessThan(4);
    expect(keys.get('9')).toBe(all[9]);
  });

  it('has no keys of a closed partition', () => {
    const cache = new SharedKeyStateCache({ keys: 10, weight: 1e6 });
    const keys = open(cache);
    const one = entry('a', 7);
    keep(keys, entry('b'));
    keys.change(one);
    keys.close();
    keys.change(one);
    expect([cache.size, keys.changed.size, keys.changedWeight]).toEqual([0, 0, 0]);
  });
});
