import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { QueryTooExpensiveError, StoreUnavailableError } from '../../errors.js';
import type { ProjectionStateRow } from '../../projection-store.js';
import { openClickHouse } from '../open.js';
import { openTestStore, type TestStore } from '../test-store.js';

const build = 'a'.repeat(24);
const place = { build, stream: 'orders', partition: 0 };

function rowsOf(count: number, last_offset: number): ProjectionStateRow[] {
  return Array.from({ length: count }, (_, i) => ({
    ...place,
    key: `k-${String(i).padStart(6, '0')}`,
    state: `[${last_offset}]`,
    events: 1,
    last_offset,
    updated_at: 0,
  }));
}

describe('projections in ClickHouse', () => {
  let test: TestStore;
  beforeAll(async () => {
    test = await openTestStore();
    await test.store.projections.save(rowsOf(20_000, 2), [
      { ...place, next: 3, processed: 2, failed: 0, updated_at: 0 },
    ]);
    await test.store.projections.save(rowsOf(10_000, 1), []);
  });
  afterAll(() => test.close());

  it('are the same before and after merges', async () => {
    const { projections } = test.store;
    const read = async () => ({
      keys: await projections.keys({ build, limit: 500, prefix: 'k-00' }),
      count: await projections.countKeys({ build }),
      loaded: (await projections.load(place, ['k-000000', 'k-009999'])).map((row) => row.last_offset),
      progress: await projections.progress([build]),
    });
    const before = await read();
    expect(before).toMatchObject({ count: 20_000, loaded: [2, 2] });
    await test.engine.command({ query: 'OPTIMIZE TABLE projection_states FINAL' });
    await test.engine.command({ query: 'OPTIMIZE TABLE projection_progress FINAL' });
    expect(await read()).toEqual(before);
  });

  it('one save is one part of each table', async () => {
    const partsOf = async () => {
      const query =
        "SELECT count() FROM system.parts WHERE active AND partition = 'b' AND database = currentDatabase()";
      const result = await test.engine.query({ query, format: 'JSONCompactEachRow' });
      return Number((await result.json<[string]>())[0]?.[0]);
    };
    const rows = rowsOf(70_000, 1).map((row) => ({ ...row, build: 'b' }));
    await test.store.projections.save(rows, [
      { ...place, build: 'b', next: 2, processed: 1, failed: 0, updated_at: 0 },
    ]);
    expect(await partsOf()).toBe(2);
  });

  it('a page is read no further than it goes', async () => {
    const small = openClickHouse({ ...test.options, bounds: { rowsRead: 15_000 } });
    const page = await small.projections.keys({ build, limit: 100, after: 'k-010000' });
    expect(page.map(({ key }) => key)[99]).toBe('k-010100');
    expect(await small.projections.key(build, 'k-015000')).toMatchObject({ key: 'k-015000' });
    await expect(small.projections.countKeys({ build })).rejects.toBeInstanceOf(QueryTooExpensiveError);
    await small.close();
  });

  it('an aborted read ends with the reason of the abort', async () => {
    const reason = new Error('the client went away');
    const signal = AbortSignal.abort(reason);
    await expect(test.store.projections.keys({ build, limit: 1 }, signal)).rejects.toBe(reason);
    await expect(test.store.projections.key(build, 'k', signal)).rejects.toBe(reason);
  });

  it('with nobody listening they are unavailable, for reads and for writes', async () => {
    const store = openClickHouse({ ...test.options, url: 'http://127.0.0.1:1' });
    const { projections } = store;
    await expect(projections.save(rowsOf(1, 1), [])).rejects.toBeInstanceOf(StoreUnavailableError);
    await expect(projections.load(place, ['k'])).rejects.toBeInstanceOf(StoreUnavailableError);
    await expect(projections.keys({ build, limit: 1 })).rejects.toBeInstanceOf(StoreUnavailableError);
    await store.close();
  });
});
