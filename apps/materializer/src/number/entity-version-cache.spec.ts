import { describe, expect, it } from 'vitest';
import { EntityVersionCache } from './entity-version-cache.js';

const fill = (versions: ReturnType<EntityVersionCache['open']>, from: number, to: number) => {
  for (let n = from; n < to; n++) versions.add(`entity-${n}`, { version: 1, offset: n });
};

describe('EntityVersionCache', () => {
  it('caches at most its capacity of entities with stored events, over all partitions', () => {
    const cache = new EntityVersionCache(1000);
    const partitions = [cache.open({ fromTheStart: false }), cache.open({ fromTheStart: false })];
    for (const versions of partitions) versions.storedUpTo = Infinity;
    for (let n = 0; n < 20; n++) for (const versions of partitions) fill(versions, n * 100, n * 100 + 100);
    expect(cache.size).toBeLessThanOrEqual(1001);
  });

  it('does not evict an entity whose last event is not stored yet', () => {
    const versions = new EntityVersionCache(100).open({ fromTheStart: false });
    versions.storedUpTo = 10;
    fill(versions, 0, 5000);
    expect(Array.from({ length: 4990 }, (_, n) => versions.get(`entity-${n + 10}`)?.offset)).toEqual(
      Array.from({ length: 4990 }, (_, n) => n + 10),
    );
  });

  it('evicts an entity after its last event is stored', () => {
    const cache = new EntityVersionCache(100);
    const versions = cache.open({ fromTheStart: false });
    fill(versions, 0, 5000);
    versions.storedUpTo = 5000;
    fill(versions, 5000, 30_000);
    expect(versions.get('entity-17')).toBeUndefined();
  });

  it('keeps used entities and evicts unused ones', () => {
    const versions = new EntityVersionCache(100).open({ fromTheStart: false });
    versions.storedUpTo = Infinity;
    fill(versions, 0, 2);
    for (let n = 2; n < 500; n++) {
      fill(versions, n, n + 1);
      versions.get('entity-0');
    }
    expect([versions.get('entity-0')?.version, versions.get('entity-1')]).toEqual([1, undefined]);
  });

  it('frees the entities of a released partition', () => {
    const cache = new EntityVersionCache(100);
    const first = cache.open({ fromTheStart: false });
    fill(first, 0, 40);
    cache.release(first);
    expect(cache.size).toBe(0);
  });

  it('is complete if the partition was read from offset 0 and no entity was evicted', () => {
    const cache = new EntityVersionCache(100);
    const [whole, part] = [cache.open({ fromTheStart: true }), cache.open({ fromTheStart: false })];
    expect([whole.complete, part.complete]).toEqual([true, false]);
    whole.storedUpTo = Infinity;
    fill(whole, 0, 500);
    expect(whole.complete).toBe(false);
  });
});
