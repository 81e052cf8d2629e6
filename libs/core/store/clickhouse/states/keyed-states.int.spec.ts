import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { QueryTooExpensiveError, StoreUnavailableError } from '../../errors.js';
import type { PartitionCheckpoint, KeyedStateRow } from '../../keyed-state-store.js';
import { partitionProgress, stateRow } from '../../keyed-states.fixture.js';
import { openClickHouse } from '../open.js';
import { openTestStore, type TestStore } from '../test-store.js';

const owner = 'a'.repeat(24);
const stage = 'b'.repeat(16);

interface Table {
  kind: 'projections' | 'pipelines';
  name: string;
  place: Pick<KeyedStateRow, 'owner' | 'stage' | 'stream' | 'partition'>;
}

const tables: Table[] = [
  { kind: 'projections', name: 'projection_states', place: { owner, stage: '', stream: 's', partition: 0 } },
  { kind: 'pipelines', name: 'pipeline_states', place: { owner, stage, stream: '', partition: 0 } },
];

describe.each(tables)('states of $kind in ClickHouse', ({ kind, name, place }) => {
  const rowsOf = (count: number, position: number): KeyedStateRow[] =>
    Array.from({ length: count }, (_, i) => ({
      ...stateRow({ ...place, key: `k-${String(i).padStart(6, '0')}`, state: `[${position}]`, position }),
      closes_at: position * 1000 + i,
    }));
  const progressOf = (next: number): PartitionCheckpoint => partitionProgress({ ...place, next });

  let test: TestStore;
  beforeAll(async () => {
    test = await openTestStore();
  });
  afterAll(() => test.close());

  it('a save writes one part for each owner: its rows and progress become visible together', async () => {
    const other = 'c'.repeat(24);
    const both = [...rowsOf(70_000, 2), ...rowsOf(10, 2).map((row) => ({ ...row, owner: other }))];
    await test.store[kind].save(both, [progressOf(3), { ...progressOf(3), owner: other }]);
    const query = `SELECT partition, count() FROM system.parts
      WHERE active AND table = '${name}' AND database = currentDatabase() GROUP BY partition ORDER BY partition`;
    const result = await test.engine.query({ query, format: 'JSONCompactEachRow' });
    const parts = await result.json<[string, string]>();
    expect(parts.map(([partition, count]) => [partition, Number(count)])).toEqual([
      [owner, 1],
      [other, 1],
    ]);
  });

  it('reads return the same before and after merges', async () => {
    const states = test.store[kind];
    await states.save(rowsOf(10_000, 1), [progressOf(2)]);
    const read = async () => ({
      keys: await states.keys({ owner, limit: 500, prefix: 'k-00' }),
      count: await states.countKeys({ owner }),
      due: (await states.due(place, { until: 2500, limit: 1000 })).length,
      loaded: (await states.load(place, ['k-000000', 'k-009999'])).map((row) => row.position),
      progress: await states.progress([owner]),
    });
    const before = await read();
    expect(before).toMatchObject({ count: 70_000, due: 501, loaded: [2, 2], progress: [progressOf(3)] });
    await test.engine.command({ query: `OPTIMIZE TABLE ${name} FINAL` });
    expect(await read()).toEqual(before);
  });

  it('a read of the progress does not read the rows', async () => {
    const small = openClickHouse({ ...test.options, bounds: { rowsRead: 10_000 } });
    expect(await small[kind].progress([owner])).toEqual([progressOf(3)]);
    await small.close();
    const none = openClickHouse({ ...test.options, bounds: { rowsRead: 1 } });
    await expect(none[kind].progress([owner])).rejects.toBeInstanceOf(QueryTooExpensiveError);
    await none.close();
  });

  it.runIf(kind === 'projections')('a page reads only its own rows', async () => {
    const small = openClickHouse({ ...test.options, bounds: { rowsRead: 15_000 } });
    const page = await small[kind].keys({ owner, limit: 100, after: 'k-060000' });
    expect(page.map(({ key }) => key)[99]).toBe('k-060100');
    expect(await small[kind].key(owner, 'k-065000')).toMatchObject({ key: 'k-065000' });
    await expect(small[kind].countKeys({ owner })).rejects.toBeInstanceOf(QueryTooExpensiveError);
    await small.close();
  });

  it("an aborted read is rejected with the signal's reason", async () => {
    const reason = new Error('the client went away');
    const signal = AbortSignal.abort(reason);
    await expect(test.store[kind].keys({ owner, limit: 1 }, signal)).rejects.toBe(reason);
    await expect(test.store[kind].key(owner, 'k', signal)).rejects.toBe(reason);
  });

  it('reads and writes are rejected with StoreUnavailableError when nothing listens on the port', async () => {
    const store = openClickHouse({ ...test.options, url: 'http://127.0.0.1:1' });
    const states = store[kind];
    await expect(states.save(rowsOf(1, 1), [])).rejects.toBeInstanceOf(StoreUnavailableError);
    await expect(states.load(place, ['k'])).rejects.toBeInstanceOf(StoreUnavailableError);
    await expect(states.keys({ owner, limit: 1 })).rejects.toBeInstanceOf(StoreUnavailableError);
    await expect(states.progress([owner])).rejects.toBeInstanceOf(StoreUnavailableError);
    await store.close();
  });
});
