import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openClickHouse, type ClickHouseStore } from '#store';
import { freshNames, testClickHouse } from '#testkit';
import { rowBatchesOf } from '../../../core/store/row-batch/row-batches-of.fixture.js';
import { ClickHouseEntitySnapshotStore } from '../snapshots/clickhouse-entity-snapshot-store.js';
import { entityEvent, entityOf, microsecondsOf2026 as now } from './entity.fixture.js';
import { describeEntityStates } from './entity-state.contract.js';
import { entityState } from './entity-state.js';
import { createSnapshot } from './create-snapshot.js';

let store: ClickHouseStore;
let snapshots: ClickHouseEntitySnapshotStore;

beforeAll(async () => {
  store = openClickHouse(testClickHouse(freshNames().database));
  snapshots = new ClickHouseEntitySnapshotStore(store);
  await store.migrate();
});
afterAll(() => store.close());

/**
 * Writes events of one entity. Some of the events are written again in other batches, as a writer that lost its
 * partition does.
 */
async function givenEvents(count: number, data: (version: number) => string): Promise<string> {
  const stream = `s-${randomUUID()}`;
  for (let from = 0; from < count; from += 10_000) {
    const rows = Array.from({ length: Math.min(10_000, count - from) }, (_, i) =>
      entityEvent(stream, from + i + 1, { data: data(from + i + 1) }),
    );
    await store.writer.appendRowBatches(rowBatchesOf(rows), randomUUID());
    await store.writer.appendRowBatches(rowBatchesOf(rows.slice(100, 300)), randomUUID());
  }
  return stream;
}

describe('the state of an entity in ClickHouse', () => {
  describeEntityStates(() => ({ writer: store.writer, snapshots }), { numRuns: 5 });

  it('is computed from a hundred thousand events within the query limits, and from few events after a snapshot', async () => {
    const count = 100_000;
    const data = (n: number) => JSON.stringify({ total: n, [`k${n % 300}`]: n, text: 'x'.repeat(200) });
    const stream = await givenEvents(count, data);
    const folded = await entityState(snapshots, entityOf(stream));
    expect(folded).toMatchObject({ version: count });
    expect(folded?.from).toBeUndefined();
    const state = JSON.parse(folded!.state) as Record<string, number>;
    expect([state.total, state.k299, state.k0]).toEqual([count, 99_899, 99_900]);
    await createSnapshot(snapshots, {
      ...entityOf(stream),
      ...{ reason: 'automatic', version: count - 99, now },
    });
    const again = await entityState(snapshots, entityOf(stream));
    expect(again).toMatchObject({ state: folded!.state, from: { version: count - 99 } });
  });

  it('reads events of a megabyte in pages within the limit of an answer', async () => {
    const stream = await givenEvents(80, () => `{"x":"${'y'.repeat(1_000_000)}"}`);
    expect(await entityState(snapshots, entityOf(stream))).toMatchObject({ version: 80 });
  });
});
