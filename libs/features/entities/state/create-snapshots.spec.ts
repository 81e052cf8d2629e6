import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allStreams } from '#api';
import { QueryTooExpensiveError, type EventRow } from '#store';
import { rowBatchesOf } from '../../../core/store/row-batch/row-batches-of.fixture.js';
import { MemoryStoreWithSnapshots } from '../snapshots/memory-entity-snapshots.fixture.js';
import { createSnapshot } from './create-snapshot.js';
import { createSnapshots } from './create-snapshots.js';
import { entityState } from './entity-state.js';
import type { EntityStateAccumulator } from './entity-state-accumulator.js';
import { entityEvent, microsecondsOf2026 as t0 } from './entity.fixture.js';

const stream = 'orders';
const idOf = (n: number) => `entity-${n}`;

/** Returns a store in which the entity `entity-n` has `counts[n]` events. */
async function given(
  counts: readonly number[],
  data = (version: number) => `{"n":${version}}`,
): Promise<MemoryStoreWithSnapshots> {
  const store = new MemoryStoreWithSnapshots();
  let offset = 0;
  const rows = counts.flatMap((count, n) =>
    Array.from({ length: count }, (_, i): EventRow => ({
      ...entityEvent(stream, i + 1, { data: data(i + 1) }),
      ...{ entity_id: idOf(n), offset: offset++ },
    })),
  );
  await store.writer.appendRowBatches(rowBatchesOf(rows), randomUUID());
  return store;
}

const saved = async ({ snapshots }: MemoryStoreWithSnapshots) => {
  const { items } = await snapshots.snapshots({ access: allStreams, stream, limit: 10_000 });
  return items.sort((a, b) => (a.entity_id < b.entity_id ? -1 : 1) || a.version - b.version);
};
const dueAt = (upTo: number, latest = upTo) => ({ upTo, latest });
const versionsOf = (counts: readonly number[]) => new Map(counts.map((count, n) => [idOf(n), dueAt(count)]));

/** Makes queries for many entities fail if their answer has more than `most` items. */
function bounded(store: MemoryStoreWithSnapshots, most: number): { failed: () => number } {
  let failed = 0;
  const { snapshots } = store;
  const historyOf = snapshots.historyOf.bind(snapshots);
  snapshots.historyOf = async (query) => {
    const found = await historyOf(query);
    if ([...found.values()].flat().length <= most) return found;
    failed++;
    throw new QueryTooExpensiveError('too large');
  };
  return { failed: () => failed };
}

describe('snapshots of many entities', () => {
  it('are those that are made one by one, whatever snapshots and versions the entities have', async () => {
    const entity = fc.record({ events: fc.nat(6), first: fc.nat(6), second: fc.nat(6) });
    await fc.assert(
      fc.asyncProperty(fc.array(entity, { maxLength: 6 }), async (entities) => {
        const counts = entities.map(({ events }) => events);
        const [together, oneByOne] = [await given(counts), await given(counts)];
        for (const step of ['first', 'second'] as const) {
          const due = new Map(entities.map((one, n) => [idOf(n), dueAt(one[step])]));
          const made = await createSnapshots(together.snapshots, { stream, entities: due, now: t0 });
          let created = 0;
          for (const [entityId, { upTo: version }] of due) {
            const request = { access: allStreams, stream, entityId, version };
            const result = await createSnapshot(oneByOne.snapshots, {
              ...request,
              ...{ reason: 'automatic', now: t0 },
            });
            if (typeof result === 'object' && result.created) created++;
          }
          expect(made).toEqual({ created, removedMeanwhile: 0, tooLarge: 0 });
        }
        expect(await saved(together)).toEqual(await saved(oneByOne));
      }),
      { numRuns: 200 },
    );
  });

  it('given answers that are too large, are made in halves', async () => {
    const counts = Array.from({ length: 40 }, () => 10);
    const store = await given(counts);
    const { failed } = bounded(store, 60);
    const entities = versionsOf(counts);
    expect((await createSnapshots(store.snapshots, { stream, entities, now: t0 })).created).toBe(40);
    expect(failed()).toBeGreaterThan(0);
    expect((await saved(store)).map(({ state }) => state)).toEqual(counts.map((count) => `{"n":${count}}`));
  });

  it('given one long history among short ones, read it in pages', async () => {
    const counts = [10, 5_000, 20];
    const store = await given(counts);
    const { failed } = bounded(store, 100);
    const entities = versionsOf(counts);
    expect((await createSnapshots(store.snapshots, { stream, entities, now: t0 })).created).toBe(3);
    expect(failed()).toBe(0);
  });

  it('given a state that is too large, leave it out and make the others', async () => {
    const large = 'x'.repeat(900_000);
    const store = await given([30, 2], (version) => `{"k${version}":"${version > 2 ? large : ''}"}`);
    const entities = versionsOf([30, 2]);
    const made = await createSnapshots(store.snapshots, { stream, entities, now: t0 });
    expect(made).toEqual({ created: 1, removedMeanwhile: 0, tooLarge: 1 });
    expect((await saved(store)).map(({ entity_id }) => entity_id)).toEqual([idOf(1)]);
  });

  it('given events that are erased while the snapshots are saved, leave none of them behind', async () => {
    const store = await given([4, 4]);
    const { snapshots } = store;
    const saveAll = snapshots.saveAll.bind(snapshots);
    snapshots.saveAll = async (all) => {
      await store.eraser.truncate({ stream, partition: 0, before: 1 });
      await saveAll(all);
    };
    const made = await createSnapshots(snapshots, { stream, entities: versionsOf([4, 4]), now: t0 });
    expect(made).toEqual({ created: 1, removedMeanwhile: 1, tooLarge: 0 });
    expect((await saved(store)).map(({ entity_id }) => entity_id)).toEqual([idOf(1)]);
  });

  it('return the states after the latest versions, which continue as if they were read', async () => {
    const entity = fc.record({ events: fc.integer({ min: 1, max: 6 }), upTo: fc.nat(6), base: fc.nat(6) });
    await fc.assert(
      fc.asyncProperty(fc.array(entity, { minLength: 1, maxLength: 5 }), async (script) => {
        const counts = script.map(({ events }) => events);
        const store = await given(counts, (version) => `{"k${version % 3}":${version}}`);
        const bases = new Map(script.map(({ base }, n) => [idOf(n), dueAt(base)]));
        await createSnapshots(store.snapshots, { stream, entities: bases, now: t0 });
        const entities = new Map(
          script.map(({ events, upTo }, n) => [idOf(n), dueAt(Math.min(upTo, events), events)]),
        );
        const folded = new Map<string, EntityStateAccumulator>();
        const onFolded = (id: string, found: EntityStateAccumulator) => void folded.set(id, found);
        await createSnapshots(store.snapshots, { stream, entities, now: t0, onFolded });
        for (const [n, events] of counts.entries()) {
          const query = { access: allStreams, stream, entityId: idOf(n) };
          const { from: _from, ...expected } = (await entityState(store.snapshots, query))!;
          expect(folded.get(idOf(n))?.content()).toEqual(expected);
          expect(expected.version).toBe(events);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('return no state if an event before the latest version is missing', async () => {
    const store = await given([5]);
    const historyOf = store.snapshots.historyOf.bind(store.snapshots);
    store.snapshots.historyOf = async (query) =>
      new Map(
        [...(await historyOf(query))].map(([id, all]) => [id, all.filter(({ version }) => version !== 3)]),
      );
    const folded: string[] = [];
    const entities = new Map([[idOf(0), dueAt(2, 5)]]);
    const onFolded = (id: string) => void folded.push(id);
    await createSnapshots(store.snapshots, { stream, entities, now: t0, onFolded });
    expect(folded).toEqual([]);
    expect((await saved(store)).map(({ version }) => version)).toEqual([2]);
  });

  it('given no entities, make nothing', async () => {
    const made = await createSnapshots((await given([])).snapshots, { stream, entities: new Map(), now: t0 });
    expect(made).toEqual({ created: 0, removedMeanwhile: 0, tooLarge: 0 });
  });
});
