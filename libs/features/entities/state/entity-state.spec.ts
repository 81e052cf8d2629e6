import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { QueryTooExpensiveError } from '#store';
import { rowBatchesOf } from '../../../core/store/row-batch/row-batches-of.fixture.js';
import type { EntitySnapshotReader } from '../snapshots/clickhouse-entity-snapshot-store.js';
import type { EntityHistoryQuery } from '../snapshots/entity-snapshot.js';
import { MemoryStoreWithSnapshots } from '../snapshots/memory-entity-snapshots.fixture.js';
import { entityEvent, entityOf, microsecondsOf2026 as t0 } from './entity.fixture.js';
import { describeEntityStates } from './entity-state.contract.js';
import { entityState } from './entity-state.js';
import { EntityStateTooLargeError } from './time-sliced-entity-fold.js';
import { snapshotId, createSnapshot } from './create-snapshot.js';

const stream = 'orders';
const request = { ...entityOf(stream), reason: 'requested', now: t0 } as const;

async function given(
  count: number,
  data = (version: number) => `{"n":${version}}`,
): Promise<MemoryStoreWithSnapshots> {
  const store = new MemoryStoreWithSnapshots();
  const rows = Array.from({ length: count }, (_, i) => entityEvent(stream, i + 1, { data: data(i + 1) }));
  await store.writer.appendRowBatches(rowBatchesOf(rows), randomUUID());
  return store;
}

/**
 * Returns a snapshot reader that records its history queries in `asked`, and rejects pages with more than `most` events
 * as too expensive.
 */
function watched(
  store: MemoryStoreWithSnapshots,
  most = Infinity,
): { reader: EntitySnapshotReader; asked: EntityHistoryQuery[] } {
  const asked: EntityHistoryQuery[] = [];
  const { snapshots } = store;
  const reader: EntitySnapshotReader = {
    versionRange: (query) => snapshots.versionRange(query),
    nearest: (query) => snapshots.nearest(query),
    snapshots: (query) => snapshots.snapshots(query),
    history: async (query) => {
      asked.push(query);
      const page = await snapshots.history(query);
      if (page.length > most) throw new QueryTooExpensiveError('too large');
      return page;
    },
  };
  return { reader, asked };
}

describe('the state of an entity', () => {
  const property = new MemoryStoreWithSnapshots();
  describeEntityStates(() => property, { numRuns: 300 });

  it('is undefined if the entity has no events', async () => {
    const { snapshots } = await given(3);
    expect(await entityState(snapshots, { ...entityOf(stream), entityId: 'nobody' })).toBeUndefined();
    expect(await entityState(snapshots, { ...entityOf(stream), asOf: t0 })).toBeUndefined();
  });

  it('keeps all digits of numbers', async () => {
    const { snapshots } = await given(2, (n) =>
      n === 1 ? '{"big":12345678901234567890123}' : '{"b":0.12345678901234567891}',
    );
    const { state } = (await entityState(snapshots, entityOf(stream)))!;
    expect(state).toBe('{"big":12345678901234567890123,"b":0.12345678901234567891}');
  });

  it('starts with the first event that is still stored', async () => {
    const { snapshots, eraser } = await given(5, (n) => `{"k${n}":1}`);
    await createSnapshot(snapshots, request);
    await eraser.expire({ stream, before: t0 + 3 });
    const folded = await entityState(snapshots, entityOf(stream));
    expect(folded).toMatchObject({ version: 5, state: '{"k3":1,"k4":1,"k5":1}', first: { offset: 2 } });
  });

  it('is computed from the nearest snapshot and the later events only', async () => {
    const store = await given(50);
    await createSnapshot(store.snapshots, { ...request, version: 40 });
    const { reader, asked } = watched(store);
    const folded = await entityState(reader, entityOf(stream));
    expect(folded).toMatchObject({ version: 50, from: { version: 40 }, state: '{"n":50}' });
    expect(asked.map(({ after, upTo }) => [after, upTo])).toEqual([[40, 50]]);
  });

  it('is read in pages that grow while events are small, and shrink after a page that is too large', async () => {
    const store = await given(2_000);
    const small = watched(store);
    await entityState(small.reader, entityOf(stream));
    expect(small.asked.map(({ after, upTo }) => upTo - after)).toEqual([256, 1024, 720]);
    const large = watched(store, 100);
    expect((await entityState(large.reader, entityOf(stream)))?.state).toBe('{"n":2000}');
    const one = watched(store, 0);
    await expect(entityState(one.reader, entityOf(stream))).rejects.toBeInstanceOf(QueryTooExpensiveError);
  });

  it('is read a few megabytes at a time, however large the events are', async () => {
    const store = await given(600, () => `{"x":"${'y'.repeat(100_000)}"}`);
    const { reader, asked } = watched(store);
    await entityState(reader, entityOf(stream));
    expect(Math.max(...asked.slice(1).map(({ after, upTo }) => upTo - after))).toBeLessThan(50);
  });

  it('fails from the first event that makes it too large, and exists up to the version before it', async () => {
    const { snapshots } = await given(20, (n) => `{"k${n}":"${'x'.repeat(100_000)}"}`);
    const error = await entityState(snapshots, entityOf(stream)).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(EntityStateTooLargeError);
    expect((error as EntityStateTooLargeError).version).toBe(11);
    expect(await entityState(snapshots, { ...entityOf(stream), upTo: 10 })).toMatchObject({ version: 10 });
  });

  it('yields to other requests, and is cancelled with its client', async () => {
    const store = await given(20_000, (n) => `{"k${n % 500}":${n}}`);
    const gone = new AbortController();
    const running = entityState(store.snapshots, entityOf(stream), gone.signal);
    setTimeout(() => gone.abort(new Error('gone')), 1);
    await expect(running).rejects.toThrow('gone');
  });
});

describe('making a snapshot', () => {
  it('saves the latest stored version once', async () => {
    const { snapshots } = await given(3);
    const made = await createSnapshot(snapshots, request);
    expect(made).toMatchObject({ created: true, snapshot: { version: 3, state: '{"n":3}', created_at: t0 } });
    const again = await createSnapshot(snapshots, { ...request, now: t0 + 1, reason: 'automatic' });
    expect(again).toEqual({ ...(made as object), created: false });
    const ids = [made, again].map((each) => typeof each === 'object' && snapshotId(each.snapshot));
    expect(ids[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(ids[1]).toBe(ids[0]);
  });

  it('saves nothing if the entity has no events', async () => {
    const { snapshots } = await given(1);
    expect(await createSnapshot(snapshots, { ...request, entityId: 'nobody' })).toBe('no_events');
  });

  it('removes the snapshot again if its events are erased in the meantime', async () => {
    const { snapshots, eraser } = await given(3);
    const late = watched({ snapshots } as MemoryStoreWithSnapshots).reader;
    const store = {
      ...late,
      removeStale: (entity: { stream: string; entityId: string }) => snapshots.removeStale(entity),
      save: async (snapshot: Parameters<typeof snapshots.save>[0]) => {
        await eraser.truncate({ stream, partition: 0, before: 9 });
        await snapshots.save(snapshot);
      },
    };
    expect(await createSnapshot(store, request)).toBe('removed_meanwhile');
    expect(await snapshots.snapshots({ access: request.access, stream, limit: 9 })).toEqual({
      ...{ items: [], total: 0 },
    });
  });
});
