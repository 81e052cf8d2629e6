import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { allStreams } from '#api';
import { entityHash } from '#event';
import { systemActor } from '#registry';
import type { EntitySnapshot } from '#features/entities/state';
import type { EventRow } from '#store';
import { createLogger } from '#telemetry';
import { rowBatchesOf } from '../../../core/store/row-batch/row-batches-of.fixture.js';
import {
  topics,
  uuid,
  ProcessorTestBed,
  type SpecEvent,
} from '../../../../apps/processor/src/processor.fixture.js';
import { EntitySnapshotter, type EntitySnapshotterOptions } from './entity-snapshotter.js';

const every = 8;
let world: ProcessorTestBed;
let snapshotter: EntitySnapshotter | undefined;
let loads: number;
const failures: Error[] = [];

beforeEach(async () => {
  world = await ProcessorTestBed.make([], 1);
  await world.definitions.createStream(
    { stream: 'orders', partitions: 1, snapshot_every: every },
    systemActor,
  );
  loads = 0;
});
afterEach(async () => {
  await snapshotter?.close();
  await world.close();
  expect(failures).toEqual([]);
});

/** Starts a snapshotter, and counts the entities whose events it reads from the store. */
function start(options: Partial<EntitySnapshotterOptions> = {}): void {
  const { snapshots } = world.store;
  snapshotter = new EntitySnapshotter({
    ...{ log: world.log, topics, definitions: world.definitions, erasures: world.erasures },
    snapshots: Object.assign(Object.create(snapshots) as typeof snapshots, {
      historyOf: (query: Parameters<typeof snapshots.historyOf>[0]) => {
        loads += query.entities.length;
        return snapshots.historyOf(query);
      },
    }),
    versions: world.store.writer,
    logger: createLogger({ name: 'test', level: 'silent' }),
    retryDelays: { firstDelayMs: 1, longestDelayMs: 5 },
    lookMs: 1,
    onFailure: (error) => failures.push(error),
    ...options,
  });
  snapshotter.start();
}

let id = 0;
beforeEach(() => void (id = 0));
const members = (n: number): Record<string, unknown> => ({ [`k${n % 3}`]: n, n });
const events = (count: number, entity = 'e', dataOf = members): SpecEvent[] =>
  Array.from({ length: count }, () => ({ id, entity, data: dataOf(id++) }));

/** Writes events to the log, stores those that `isStored` selects by offset, and waits until their snapshots are made. */
async function write(all: readonly SpecEvent[], isStored?: (offset: number) => boolean): Promise<void> {
  await world.write(all);
  await world.materialize('orders', { isStored, ownTimes: true });
  await isThrough();
}

/** Returns the row of the event of entity `e` that `world.write` has written with the id `offset`. */
const row = (offset: number, version: number, data: object): EventRow => ({
  ...{ stream: world.idOf('orders'), partition: 0, offset, version, entity_id: 'e', event_type: 't' },
  ...{ event_id: uuid(offset), schema_version: null, metadata: '{}', data: JSON.stringify(data) },
  ...{ timestamp: 1_795_000_000_000_000 + offset, ingested_at: 1_795_000_000_000_000 + offset },
});

/** Stores rows, and commits the end of the log, as a materializer does. */
async function store(rows: readonly EventRow[]): Promise<void> {
  await world.store.writer.appendRowBatches(rowBatchesOf(rows), 't');
  const topic = world.topicOf('orders');
  const end = world.log.topics.get(topic)!.end(0);
  world.log.broker.group(topics.materializerGroup).commit({ topic, partition: 0 }, end);
}

const isThrough = () =>
  vi.waitFor(
    async () => {
      const topic = world.topicOf('orders');
      const committed = await world.log.admin.committed(topics.snapshotGroup, topic);
      expect(committed.get(0)).toBe(world.log.topics.get(topic)!.end(0));
    },
    { timeout: 10_000, interval: 2 },
  );

/** Returns all saved snapshots, in the order of entities and versions, whether they are current or not. */
async function saved(): Promise<EntitySnapshot[]> {
  const query = { access: allStreams, stream: world.idOf('orders'), limit: 1_000 };
  const { items, total } = await world.store.snapshots.snapshots(query);
  expect(total).toBe(items.length);
  return items.sort((a, b) => a.entity_id.localeCompare(b.entity_id) || a.version - b.version);
}
const versions = async () => (await saved()).map(({ entity_id, version }) => `${entity_id} ${version}`);

/** Checks each snapshot against the stored events of its entity. */
async function expectCorrect(): Promise<void> {
  for (const { entity_id: entityId, version, state } of await saved()) {
    const query = { access: allStreams, stream: world.idOf('orders'), entityId, after: 0, upTo: version };
    const history = await world.store.snapshots.history(query);
    expect(JSON.parse(state)).toEqual(
      Object.assign({}, ...history.map(({ data }) => JSON.parse(data) as object)),
    );
  }
}

describe('snapshots of a stream that is read from its first record', () => {
  it('are folded from the log, without reading events from the store', async () => {
    start();
    for (let round = 0; round < 5; round++) await write([...events(5, 'a'), ...events(3, 'b')]);
    expect(await versions()).toEqual(['a 8', 'a 16', 'a 24', 'b 8']);
    await expectCorrect();
    expect(loads).toBe(0);
  });

  it('are those of the stored versions, given records that the materializer drops', async () => {
    start();
    await write(events(5));
    const repeated = events(1)[0]!;
    await write([repeated, repeated, { ...repeated, value: 'no event' }, ...events(1)]);
    expect(await versions()).toEqual([]);
    await write(events(1));
    expect(await versions()).toEqual(['e 8']);
    await write(events(12), (offset) => offset !== 12);
    expect(await versions()).toEqual(['e 8', 'e 16']);
    await write(events(5), (offset) => offset !== 12);
    expect(await versions()).toEqual(['e 8', 'e 16', 'e 24']);
    await expectCorrect();
    expect(loads).toBeGreaterThan(0);
  });

  it('are not made of a state that lacks earlier events, even if as many later records are dropped', async () => {
    const all = events(11);
    const storedOffsets = [0, 1, 2, 6, 7, 8, 9, 10];
    // Events of a topic that was deleted in Kafka and created again.
    const earlier = [100, 101, 102].map((offset, i) => row(offset, i + 1, { earlier: offset }));
    const rows = storedOffsets.map((offset, i) => row(offset, i + 4, all[offset]!.data!));
    await world.write(all);
    await store([...earlier, ...rows]);
    start();
    await isThrough();
    expect(await versions()).toEqual(['e 8']);
    await expectCorrect();
    expect(loads).toBe(1);
  });

  it('are made of the remaining events after erasures and retention', async () => {
    start();
    await write([...events(9, 'a'), ...events(9, 'b')]);
    expect(await versions()).toEqual(['a 8', 'b 8']);
    const stream = world.idOf('orders');
    const erasure = { stream, entityHash: entityHash('orders', 'a'), entityId: 'a', before: { 0: 18 } };
    await world.store.eraser.eraseEntity(erasure);
    expect(await versions()).toEqual(['b 8']);
    await write([...events(9, 'a'), ...events(8, 'b')], (offset) => offset >= 9);
    expect(await versions()).toEqual(['a 8', 'b 8', 'b 16']);
    await expectCorrect();
    await world.store.eraser.truncate({ stream, partition: 0, before: 30 });
    await world.store.snapshots.removeStale({ stream, entityId: 'a' });
    expect(await versions()).toEqual([]);
    await write(events(8, 'b').concat(events(16, 'c')), (offset) => offset >= 30);
    await expectCorrect();
  });

  it('include no expired event, although the versions continue', async () => {
    start();
    await write(events(8));
    expect(await versions()).toEqual(['e 8']);
    await world.store.eraser.truncate({ stream: world.idOf('orders'), partition: 0, before: 3 });
    expect(await versions()).toEqual([]);
    const later = events(8);
    await world.write(later);
    await store(later.map(({ data }, i) => row(i + 8, i + 9, data!)));
    await isThrough();
    expect(await versions()).toEqual(['e 16']);
    await expectCorrect();
  });

  it('include no expired event if the removal was counted long before it removed the events', async () => {
    vi.spyOn(world.store.snapshots, 'removedEvents').mockResolvedValue(new Map([[0, 3]]));
    start();
    await write(events(8));
    await world.store.eraser.truncate({ stream: world.idOf('orders'), partition: 0, before: 3 });
    const later = events(16);
    await world.write(later);
    await store(later.map(({ data }, i) => row(i + 8, i + 9, data!)));
    await isThrough();
    expect((await versions()).at(-1)).toBe('e 24');
    await expectCorrect();
  });

  it('include no erased event while the erasure has not reached the store', async () => {
    start();
    await write(events(7));
    world.erasures.erase('orders', 'e', 7);
    await write(events(2), (offset) => offset >= 7);
    expect(await versions()).toEqual([]);
  });

  it('are removed if their events are erased while they are saved', async () => {
    const { snapshots, eraser } = world.store;
    const saveAll = snapshots.saveAll.bind(snapshots);
    const erased = { stream: world.idOf('orders'), entityHash: entityHash('orders', 'a'), entityId: 'a' };
    vi.spyOn(snapshots, 'saveAll').mockImplementationOnce(async (all) => {
      await eraser.eraseEntity({ ...erased, before: { 0: 16 } });
      await saveAll(all);
    });
    start();
    await write([...events(8, 'a'), ...events(8, 'b')]);
    expect(await versions()).toEqual(['b 8']);
    await write([...events(9, 'a'), ...events(8, 'b')], (offset) => offset >= 8);
    expect(await versions()).toEqual(['a 8', 'b 8', 'b 16']);
    await expectCorrect();
  });

  it('are the same if the cache has no room for the entities, or the states are large', async () => {
    const names = Array.from({ length: 12 }, (_, i) => `e${i}`);
    const large = (n: number) => ({ [`k${n % 3}`]: 'x'.repeat(1_000), n });
    const run = async (options: Partial<EntitySnapshotterOptions>) => {
      start(options);
      for (let round = 0; round < 4; round++)
        await write(names.flatMap((name, i) => events(4, name, i % 2 ? large : undefined)));
      await snapshotter!.close();
      await expectCorrect();
      return versions();
    };
    const expected = names.sort((a, b) => a.localeCompare(b)).flatMap((name) => [`${name} 8`, `${name} 16`]);
    expect(await run({ cache: { entities: 3, characters: 1e9 }, mostWaiting: 500 })).toEqual(expected);
    expect(loads).toBeGreaterThan(0);
  });

  it('are made in parts if the waiting states have no room', async () => {
    start({ mostWaiting: 100 });
    await write(Array.from({ length: 20 }, (_, i) => events(9, `e${i}`)).flat());
    expect(await versions()).toHaveLength(20);
    await expectCorrect();
    expect(loads).toBe(0);
  });

  it('follow a changed distance, and events that were written while there were none', async () => {
    const change = (snapshot_every: number) =>
      world.definitions.changeStream('orders', (current) => ({ ...current, snapshot_every }), systemActor);
    start();
    await write(events(7));
    await change(5);
    await write(events(3));
    expect(await versions()).toEqual(['e 10']);
    await change(0);
    await world.write(events(4));
    await world.materialize('orders', { ownTimes: true });
    await change(5);
    await write(events(3));
    expect(await versions()).toEqual(['e 10', 'e 15']);
    await expectCorrect();
  });
});
