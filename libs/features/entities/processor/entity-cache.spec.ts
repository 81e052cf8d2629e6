import { describe, expect, it } from 'vitest';
import { EntityStateAccumulator } from '#features/entities/state';
import { EntityCache, type CachedEntity } from './entity-cache.js';

const folded = (characters = 2) => {
  const entity = new EntityStateAccumulator();
  const key = { partition: 0, offset: 0, timestamp: 0, ingested_at: 0 };
  entity.add(`{"x":"${'x'.repeat(characters)}"}`, 1, key);
  return entity;
};
const onEvicted = () => undefined;
const names = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `e${from + i}`);

describe('the cache of entities', () => {
  it('evicts entities that have not changed since they were last considered, over all partitions', () => {
    const cache = new EntityCache({ entities: 4, characters: 1e9 });
    const evicted: string[] = [];
    const options = { isComplete: true, onEvicted: (entry: CachedEntity) => evicted.push(entry.entityId) };
    const [a, b] = [cache.open(options), cache.open(options)];
    for (const name of names(0, 4)) a.add(name, folded(), true);
    b.add('other', folded(), true);
    expect(cache.size).toBe(4);
    expect(a.get('e0')).toBeUndefined();
    a.changed(a.get('e1')!);
    b.add('another', folded(), true);
    expect([a.get('e1'), b.get('other'), b.get('another')].every(Boolean)).toBe(true);
    expect(a.get('e2')).toBeUndefined();
    expect([a.isComplete, b.isComplete]).toEqual([false, true]);
    expect(evicted).toEqual(['e0', 'e2']);
  });

  it('is bounded by the characters that the states keep in memory', () => {
    const cache = new EntityCache({ entities: 1_000, characters: 1_000_000 });
    const entities = cache.open({ isComplete: true, onEvicted });
    for (const name of names(0, 200)) entities.add(name, folded(9_000), true);
    expect(cache.size).toBeLessThanOrEqual(100);
    expect(cache.size).toBeGreaterThan(80);
    expect(entities.get('e199')).toBeDefined();
  });

  it('takes no state that is large in comparison with the cache, also not one that grows', () => {
    const entities = new EntityCache({ entities: 10, characters: 1_000_000 }).open({
      isComplete: true,
      onEvicted,
    });
    expect(entities.add('large', folded(20_000), true)).toBeUndefined();
    expect(entities.get('large')).toBeUndefined();
    const entry = entities.add('small', folded(), true)!;
    const key = { partition: 0, offset: 1, timestamp: 0, ingested_at: 0 };
    entry.folded.add(`{"y":"${'y'.repeat(20_000)}"}`, 2, key);
    expect(entities.changed(entry)).toBe(false);
  });

  it('has room again when entries are forgotten', () => {
    const cache = new EntityCache({ entities: 10, characters: 100_000 });
    const entities = cache.open({ isComplete: true, onEvicted });
    for (let round = 0; round < 5; round++) {
      for (const name of names(0, 10)) entities.add(name, folded(), true);
      expect(cache.size).toBe(10);
      entities.forget({ ...entities.get('e0')! });
      expect(cache.size).toBe(10);
      entities.clear();
      expect(cache.size).toBe(0);
    }
    expect(entities.isComplete).toBe(false);
  });
});
