import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { QueryTooExpensiveError, StoreUnavailableError } from '../../errors.js';
import type { PipelineProgress, PipelineRow } from '../../pipeline-store.js';
import { openClickHouse } from '../open.js';
import { openTestStore, type TestStore } from '../test-store.js';

const run = 'a'.repeat(24);
const place = { run, stage: 'b'.repeat(16), stream: '', partition: 0 };
const counts = { processed: 1, emitted: 1, dropped: 0, late: 0, failed: 0 };

function rowsOf(count: number, position: number): PipelineRow[] {
  return Array.from({ length: count }, (_, i) => ({
    ...place,
    ...{ name: `k-${String(i).padStart(6, '0')}`, state: `[${position}]`, closes_at: position * 1000 + i },
    ...{ position, updated_at: 0 },
  }));
}

function progressOf(next: number): PipelineProgress {
  return { ...place, ...counts, next, watermark: null, state: '{}', updated_at: 0 };
}

describe('pipelines in ClickHouse', () => {
  let test: TestStore;
  beforeAll(async () => {
    test = await openTestStore();
  });
  afterAll(() => test.close());

  it('one save is one part of each run, rows and progress: they are there at once', async () => {
    const other = 'c'.repeat(24);
    const both = [...rowsOf(70_000, 2), ...rowsOf(10, 2).map((row) => ({ ...row, run: other }))];
    await test.store.pipelines.save(both, [progressOf(3), { ...progressOf(3), run: other }]);
    const query = `SELECT partition, count() FROM system.parts
      WHERE active AND table = 'pipeline_states' AND database = currentDatabase() GROUP BY partition ORDER BY partition`;
    const result = await test.engine.query({ query, format: 'JSONCompactEachRow' });
    expect((await result.json<[string, string]>()).map(([name, parts]) => [name, Number(parts)])).toEqual([
      [run, 1],
      [other, 1],
    ]);
  });

  it('they are the same before and after merges', async () => {
    const { pipelines } = test.store;
    await pipelines.save(rowsOf(10_000, 1), [progressOf(2)]);
    const read = async () => ({
      due: (await pipelines.due(place, { until: 2500, limit: 1000 })).length,
      loaded: (await pipelines.load(place, ['k-000000', 'k-009999'])).map((row) => row.position),
      progress: await pipelines.progress([run]),
    });
    const before = await read();
    expect(before).toEqual({ due: 501, loaded: [2, 2], progress: [progressOf(3)] });
    await test.engine.command({ query: 'OPTIMIZE TABLE pipeline_states FINAL' });
    expect(await read()).toEqual(before);
  });

  it('their progress is read without their rows, within the bounds of a query', async () => {
    const small = openClickHouse({ ...test.options, bounds: { rowsRead: 10_000 } });
    expect(await small.pipelines.progress([run])).toEqual([progressOf(3)]);
    await small.close();
    const none = openClickHouse({ ...test.options, bounds: { rowsRead: 1 } });
    await expect(none.pipelines.progress([run])).rejects.toBeInstanceOf(QueryTooExpensiveError);
    await none.close();
  });

  it('with nobody listening they are unavailable, for reads and for writes', async () => {
    const store = openClickHouse({ ...test.options, url: 'http://127.0.0.1:1' });
    const { pipelines } = store;
    await expect(pipelines.save(rowsOf(1, 1), [])).rejects.toBeInstanceOf(StoreUnavailableError);
    await expect(pipelines.load(place, ['k'])).rejects.toBeInstanceOf(StoreUnavailableError);
    await expect(pipelines.progress([run])).rejects.toBeInstanceOf(StoreUnavailableError);
    await store.close();
  });
});
