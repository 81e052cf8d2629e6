import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { allStreams } from '#api';
import { systemActor } from '#registry';
import { StoreUnavailableError, type EventRow } from '#store';
import { createLogger } from '#telemetry';
import { rowBatchesOf } from '../../../core/store/row-batch/row-batches-of.fixture.js';
import { topics, ProcessorTestBed } from '../../../../apps/processor/src/processor.fixture.js';
import { EntitySnapshotter, type EntitySnapshotterOptions } from './entity-snapshotter.js';

let world: ProcessorTestBed;
let snapshotter: EntitySnapshotter;
const failures: Error[] = [];

/** Waits until a check passes, so that the specs do not depend on timing. */
const eventually = (check: () => unknown) => vi.waitFor(check, { timeout: 10_000, interval: 5 });

function start(options: Partial<EntitySnapshotterOptions> = {}): EntitySnapshotter {
  snapshotter = new EntitySnapshotter({
    ...{ log: world.log, topics, definitions: world.definitions, snapshots: world.store.snapshots },
    ...{ versions: world.store.writer, erasures: world.erasures },
    logger: createLogger({ name: 'test', level: 'silent' }),
    retryDelays: { firstDelayMs: 1, longestDelayMs: 5 },
    lookMs: 1,
    onFailure: (error) => failures.push(error),
    ...options,
  });
  snapshotter.start();
  return snapshotter;
}

beforeEach(async () => {
  world = await ProcessorTestBed.make([], 1);
  await world.definitions.createStream({ stream: 'orders', partitions: 1, snapshot_every: 8 }, systemActor);
});
afterEach(async () => {
  await snapshotter.close();
  await world.close();
  expect(failures).toEqual([]);
});

/** Time of the event with the id 0 in the records that `ProcessorTestBed.write` writes. */
const base = 1_795_000_000_000_000;
let written = 0;
beforeEach(() => void (written = 0));

/** Writes `count` events of an entity to the log. */
async function write(count: number, entity = 'e'): Promise<EventRow[]> {
  const events = Array.from({ length: count }, (_, i) => ({
    id: written + i,
    entity,
    data: { n: written + i },
  }));
  await world.write(events);
  const known = await world.store.writer.latestVersions({
    ...{ stream: world.idOf('orders'), partition: 0, entityIds: [entity], before: Number.MAX_SAFE_INTEGER },
  });
  const before = known.get(entity) ?? 0;
  const rows = events.map(({ id, data }, i): EventRow => ({
    ...{
      stream: world.idOf('orders'),
      partition: 0,
      offset: id,
      event_id: `00000000-0000-4000-8000-${String(id).padStart(12, '0')}`,
    },
    ...{ event_type: 't', entity_id: entity, version: before + i + 1, timestamp: base + id },
    ...{ ingested_at: base + id, schema_version: null, metadata: '{}', data: JSON.stringify(data) },
  }));
  written += count;
  return rows;
}

/** Stores the events as the materializer does, and then commits its offset. */
async function materialize(rows: readonly EventRow[]): Promise<void> {
  await world.store.writer.appendRowBatches(rowBatchesOf(rows), 't');
  const place = { topic: world.topicOf('orders'), partition: 0 };
  world.log.broker.group(topics.materializerGroup).commit(place, written);
}

const snapshots = async () => {
  const { items } = await world.store.snapshots.snapshots({
    access: allStreams,
    stream: world.idOf('orders'),
    limit: 100,
  });
  return items.map(({ entity_id, version, reason }) => `${entity_id} ${version} ${reason}`).sort();
};
const committed = async () =>
  (await world.log.admin.committed(topics.snapshotGroup, world.topicOf('orders'))).get(0);
const isThrough = () => eventually(async () => expect(await committed()).toBe(written));

describe('Automatic snapshots', () => {
  it('are made once at each multiple of `snapshot_every` that the version passes', async () => {
    start();
    await materialize(await write(7));
    await isThrough();
    expect(await snapshots()).toEqual([]);
    await materialize(await write(3));
    await isThrough();
    expect(await snapshots()).toEqual(['e 8 automatic']);
    await materialize([...(await write(5)), ...(await write(30, 'other'))]);
    await isThrough();
    expect(await snapshots()).toEqual(['e 8 automatic', 'other 24 automatic']);
    await materialize(await write(1));
    await isThrough();
    expect(await snapshots()).toEqual(['e 16 automatic', 'e 8 automatic', 'other 24 automatic']);
  });

  it('wait for the materializer and for the store', async () => {
    let away = true;
    const { snapshots: store } = world.store;
    const save: typeof store.save = async (snapshot) => {
      if (away) throw new StoreUnavailableError('away');
      await store.save(snapshot);
    };
    const wrapped = Object.assign(Object.create(store) as typeof store, { save });
    start({ snapshots: wrapped });
    const rows = await write(20);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await committed()).toBeUndefined();
    await materialize(rows);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect([await committed(), await snapshots()]).toEqual([undefined, []]);
    away = false;
    await isThrough();
    expect(await snapshots()).toEqual(['e 16 automatic']);
  });

  it('continue where another process has stopped', async () => {
    await materialize(await write(6));
    start();
    await isThrough();
    await snapshotter.close();
    await materialize(await write(6));
    start();
    await isThrough();
    expect(await snapshots()).toEqual(['e 8 automatic']);
  });

  it('are not made while `snapshot_every` is 0, and are made after it changes', async () => {
    const every = (snapshot_every: number) =>
      world.definitions.changeStream('orders', (current) => ({ ...current, snapshot_every }), systemActor);
    await every(0);
    start();
    await materialize(await write(20));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await snapshots()).toEqual([]);
    await every(10);
    await isThrough();
    expect(await snapshots()).toEqual(['e 20 automatic']);
  });

  it('can be stopped while they wait', async () => {
    start();
    await write(20);
    await new Promise((resolve) => setTimeout(resolve, 10));
    await snapshotter.close();
    expect(await committed()).toBeUndefined();
  });
});
