import { beforeEach, describe, expect, it } from 'vitest';
import { compileFold } from '#dataflow';
import type { ProjectionGeneration } from '#features/projections/definition';
import type { ChangedKeysQuery, KeyedStateRow } from '#store';
import { MemoryStore } from '#store/memory';
import { event } from '../../core/dataflow/folds/event.fixture.js';
import { partitionProgress, stateRow } from '../../core/store/keyed-states.fixture.js';
import { Bulkhead } from '#gateway-kit';
import { ProjectionResults } from './projection-results.js';

const never = new AbortController().signal;
const fields = { n: { op: 'count' }, total: { op: 'sum', value: 'event.data.n' } };
const fold = compileFold(fields);
const serving: ProjectionGeneration = {
  ...{ id: 'build-1', version: 1, started_at: '1' },
  sources: { orders: { id: 'orders#1' } },
  spec: { source: { streams: ['orders'] }, fields, from: 'beginning' },
};
const generations = new Map([['projection_p', serving]]);

let store: MemoryStore;
/** The queries for changed keys, in their order. */
let asked: ChangedKeysQuery[];
/** Called before each query for changed keys. */
let before: (query: ChangedKeysQuery) => Promise<void>;

beforeEach(() => {
  store = new MemoryStore();
  asked = [];
  before = () => Promise.resolve();
  const changedKeys = store.projections.changedKeys.bind(store.projections);
  store.projections.changedKeys = async (query) => {
    asked.push(query);
    await before(query);
    return changedKeys(query);
  };
});

const gateway = (patience = never) =>
  new ProjectionResults(store, new Bulkhead({ concurrent: 4, queued: 100, waitMs: 10_000 }), () => patience);
const upToDate = (results: ProjectionResults, signal = never) =>
  results.bringUpToDate(['events', 'projection_p'], generations, signal);

/** Folds events with these keys in one partition, from offset 0 on, and saves the states like a processor. */
async function folded(keys: readonly string[], partition = 0): Promise<void> {
  const rows = new Map<string, KeyedStateRow>();
  for (const [position, key] of keys.entries()) {
    const known = rows.get(key);
    const state = known ? (JSON.parse(known.state) as never) : fold.empty;
    const next = fold.add(state, event(`{"n":${position}}`, { offset: position, partition })).state;
    const row = { owner: serving.id, key, partition, position, events: (known?.events ?? 0) + 1 };
    rows.set(key, stateRow({ ...row, state: JSON.stringify(next) }));
  }
  await store.projections.save(
    [...rows.values()],
    [partitionProgress({ owner: serving.id, partition, next: keys.length })],
  );
}

async function shown(): Promise<Record<string, string>> {
  const rows = await store.projectionResults.keys({ owner: serving.id, limit: 100_000 });
  return Object.fromEntries(rows.map(({ key, parts }) => [key, parts.map(({ state }) => state).join('|')]));
}

const many = (count: number) => Array.from({ length: count }, (_, i) => `k-${String(i).padStart(6, '0')}`);

describe('the results of a projection', () => {
  it('have one row for each key, merged over its partitions', async () => {
    await folded(['EUR', 'USD', 'EUR']);
    await folded(['EUR'], 1);
    await upToDate(gateway());
    expect(await shown()).toEqual({ EUR: '3\n2', USD: '1\n1' });
  });

  it('are computed again for the keys that changed, and for no others', async () => {
    await folded(['EUR', 'USD']);
    const results = gateway();
    await upToDate(results);
    await upToDate(results);
    expect(asked).toHaveLength(1);
    await folded(['EUR', 'USD', 'GBP']);
    await upToDate(results);
    expect(asked.at(-1)?.since).toEqual([{ stream: 'orders', partition: 0, offset: 2 }]);
    expect(await shown()).toEqual({ EUR: '1\n0', USD: '1\n1', GBP: '1\n2' });
  });

  it('include the first event of a partition at offset 0', async () => {
    await folded(['EUR']);
    const results = gateway();
    await upToDate(results);
    await folded(['EUR'], 1);
    await upToDate(results);
    expect(await shown()).toEqual({ EUR: '2\n0' });
  });

  it('are not computed for a statement that names no view of a projection', async () => {
    await folded(['EUR']);
    await gateway().bringUpToDate(['events'], generations, never);
    expect([asked, await shown()]).toEqual([[], {}]);
  });

  it('are complete after several pages', async () => {
    await folded(many(20_000));
    await upToDate(gateway());
    expect(asked.length).toBeGreaterThan(3);
    expect(Object.keys(await shown())).toEqual(many(20_000));
  });

  it('are computed once for statements that come while nothing has begun', async () => {
    await folded(['EUR']);
    const results = gateway();
    await Promise.all([upToDate(results), upToDate(results), upToDate(results)]);
    expect(asked).toHaveLength(1);
  });

  it('include what was saved before a statement, even if the work for another one had begun earlier', async () => {
    await folded(['EUR']);
    const results = gateway();
    let second: Promise<void> | undefined;
    before = async () => {
      if (second) return;
      // The query of the first statement has the positions from before this event.
      await folded(['EUR', 'USD']);
      second = upToDate(results);
    };
    await upToDate(results);
    await second;
    expect(await shown()).toEqual({ EUR: '1\n0', USD: '1\n1' });
    expect((await store.projectionResults.progress([serving.id])).map(({ next }) => next)).toEqual([2]);
  });

  it('are the latest, in whatever order two gateways save them', async () => {
    await folded(['EUR']);
    const [slow, fast] = [gateway(), gateway()];
    const save = store.projectionResults.save.bind(store.projectionResults);
    let isSlow = true;
    store.projectionResults.save = async (...args) => {
      if (isSlow) {
        isSlow = false;
        await folded(['EUR', 'EUR']);
        await upToDate(fast);
      }
      return save(...args);
    };
    await upToDate(slow);
    expect(await shown()).toEqual({ EUR: '2\n1' });
  });

  it('that take too long are a problem that says how far they are', async () => {
    await folded(many(3_000));
    const patience = new AbortController();
    before = ({ after }) => {
      if (after === undefined) return Promise.resolve();
      patience.abort();
      return new Promise(() => undefined);
    };
    await expect(upToDate(gateway(patience.signal))).rejects.toMatchObject({
      code: 'projection_building',
      message:
        'The rows of projection_p are being computed: 500 of at most 3000 keys are done. Send the statement again.',
      options: { retryAfterSeconds: 2 },
    });
    expect(Object.keys(await shown())).toEqual(many(500));
  });

  it('keep what is saved when the client disconnects, and nothing is read for it any more', async () => {
    await folded(many(20_000));
    const client = new AbortController();
    before = ({ after }) => {
      if (after !== undefined) client.abort(new Error('gone'));
      return Promise.resolve();
    };
    const results = gateway();
    await expect(upToDate(results, client.signal)).rejects.toThrow('gone');
    const [reads, kept] = [asked.length, Object.keys(await shown()).length];
    expect(kept).toBeGreaterThanOrEqual(500);
    expect(kept).toBeLessThan(20_000);
    before = () => Promise.resolve();
    await upToDate(results);
    expect(asked[reads]!.after! >= 'k-000499').toBe(true);
    expect(Object.keys(await shown())).toEqual(many(20_000));
  });

  it('are not computed for a client that has disconnected before, and nothing fails unnoticed', async () => {
    await folded(['EUR']);
    const unhandled: unknown[] = [];
    const note = (error: unknown) => void unhandled.push(error);
    process.on('unhandledRejection', note);
    await expect(upToDate(gateway(), AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
    await new Promise((resolve) => setTimeout(resolve, 10));
    process.off('unhandledRejection', note);
    expect([asked, unhandled]).toEqual([[], []]);
  });

  it('go on for the statement that still waits', async () => {
    await folded(many(2_000));
    const client = new AbortController();
    const results = gateway();
    const gone = upToDate(results, client.signal);
    const stays = upToDate(results);
    client.abort(new Error('gone'));
    await expect(gone).rejects.toThrow('gone');
    await stays;
    expect(Object.keys(await shown())).toHaveLength(2_000);
  });

  it('are computed again when older states were restored', async () => {
    await folded(['EUR', 'EUR', 'USD']);
    await upToDate(gateway());
    const { id: owner } = serving;
    const results = await store.projectionResults.keys({ owner, limit: 10 });
    const ends = await store.projectionResults.progress([owner]);
    await store.projections.remove(owner);
    await store.projectionResults.save(
      results.flatMap(({ parts }) => parts),
      ends,
    );
    await folded(['EUR']);
    await upToDate(gateway());
    expect(await shown()).toEqual({ EUR: '1\n0' });
  });
});
