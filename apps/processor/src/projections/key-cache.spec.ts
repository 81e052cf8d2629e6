import { describe, expect, it } from 'vitest';
import { KeyCache, type KeyEntry } from './key-cache.js';

const entry = (key: string, weight = 0): KeyEntry => ({
  ...{ key, state: [0], events: 1, lastOffset: 0, updatedAt: 0, weight },
});

describe('the cache of keys', () => {
  it('forgets the key that was used longest ago, of whatever partition', () => {
    const cache = new KeyCache({ keys: 2, weight: 1e6 });
    const [a, b] = [cache.open(), cache.open()];
    const first = entry('first');
    a.use(first, { changed: false });
    b.use(entry('second'), { changed: false });
    a.use(first, { changed: false });
    b.use(entry('third'), { changed: false });
    expect([a.get('first'), b.get('second'), b.get('third')].map((found) => found?.key)).toEqual([
      'first',
      undefined,
      'third',
    ]);
  });

  it('keeps what is not saved, whatever the bound, and forgets it after', () => {
    const cache = new KeyCache({ keys: 1, weight: 1e6 });
    const keys = cache.open();
    const all = ['a', 'b', 'c'].map((key) => entry(key));
    for (const one of all) keys.use(one, { changed: true });
    expect(cache.size).toBe(3);
    for (const one of all) keys.saved(one, 0);
    keys.use(entry('d'), { changed: false });
    expect(cache.size).toBe(1);
  });

  it('takes what was changed again during its save for unsaved', () => {
    const keys = new KeyCache({ keys: 1, weight: 1e6 }).open();
    const one = entry('a');
    keys.use(one, { changed: true });
    one.lastOffset = 5;
    keys.saved(one, 0);
    expect(keys.changed.size).toBe(1);
    keys.saved(one, 5);
    expect(keys.changed.size).toBe(0);
    expect(keys.changedWeight).toBe(0);
  });

  it('is bounded in characters, too, those that came later counted', () => {
    const cache = new KeyCache({ keys: 100, weight: 10_000 });
    const keys = cache.open();
    for (let n = 0; n < 10; n++) keys.use(entry(`${n}`), { changed: false });
    const grown = keys.get('9')!;
    keys.weigh(grown, 9000);
    keys.use(grown, { changed: false });
    expect(cache.size).toBeLessThan(4);
    expect(keys.get('9')).toBe(grown);
  });

  it('has nothing of a partition that is closed', () => {
    const cache = new KeyCache({ keys: 10, weight: 1e6 });
    const keys = cache.open();
    const one = entry('a', 7);
    keys.use(one, { changed: true });
    keys.close();
    keys.use(one, { changed: true });
    expect([cache.size, keys.changed.size, keys.changedWeight]).toEqual([0, 0, 0]);
  });
});
