import { MemoryStore } from '#store/memory';
import { describe, expect, it } from 'vitest';
import { rowBatchOf, uuid } from '../row-batch.fixture.js';
import { loadVersions } from './load-versions.js';
import type { LatestEntityVersion } from './entity-version-cache.js';

const place = { stream: 's', partition: 0 };

/**
 * Returns a store with one event for each listed entity, at offsets from 0 on; the events of each entity have versions
 * 1, 2, ….
 */
async function storeWith(entities: string[]): Promise<MemoryStore> {
  const store = new MemoryStore();
  const rows = rowBatchOf(
    place,
    entities.map((entity_id, offset) => ({ offset, entity_id, event_id: uuid(offset) })),
  );
  const counted = new Map<string, number>();
  for (const [row, entity] of entities.entries()) {
    counted.set(entity, (counted.get(entity) ?? 0) + 1);
    rows.setVersion(row, counted.get(entity)!);
  }
  await store.writer.appendRowBatches([rows], 'token');
  return store;
}

async function load(store: MemoryStore, ends: Record<string, number>, before = 100) {
  const latest = new Map(
    ['a', 'b', 'c'].map((id): [string, LatestEntityVersion] => [id, { version: 0, offset: before }]),
  );
  await loadVersions(store.writer, { ...place, latest, before }, { endOf: (id) => ends[id] ?? 0 });
  return Object.fromEntries([...latest].map(([id, { version }]) => [id, version]));
}

describe('loadVersions', () => {
  it('sets the latest stored versions below the offset', async () => {
    const store = await storeWith(['a', 'b', 'a', 'a']);
    expect(await load(store, {})).toEqual({ a: 3, b: 1, c: 0 });
    expect(await load(store, {}, 3)).toEqual({ a: 2, b: 1, c: 0 });
  });

  it('restarts the versions of an erased entity while its erased events are still stored', async () => {
    const store = await storeWith(['a', 'b', 'a', 'b']);
    expect(await load(store, { a: 3, c: 2 })).toEqual({ a: 0, b: 2, c: 0 });
  });

  it('continues from the versions that an erased entity has had since its erasure', async () => {
    const store = await storeWith(['b', 'b', 'a', 'a']);
    expect(await load(store, { a: 2 })).toEqual({ a: 2, b: 2, c: 0 });
  });
});
