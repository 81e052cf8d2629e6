import { pipelineKind } from '#features/pipelines/definition';
import { projectionKind } from '#features/projections/definition';
import { subscriptionKind } from '#features/subscriptions/definition';
import { allStreams, auditStream, type StreamInput } from '#api';
import { entityHash, TopicAndGroupNames } from '#event';
import { erasureName, resourceKinds, openDefinitions, systemActor, type Definitions } from '#registry';
import { MemoryLog } from '#kafka/memory';
import { StoreUnavailableError, type EventRemover } from '#store';
import { MemoryStore } from '#store/memory';
import { createLogger } from '#telemetry';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rowBatchOf, uuid } from '../row-batch.fixture.js';
import { StoreGarbageCollector, type StoreGarbageCollectorOptions } from './store-garbage-collector.js';
import { deletedEvents } from '../metrics/materializer-metrics.js';

const minute = 60_000;
const day = 24 * 60 * minute;
const start = 1_795_000_000_000;

let log: MemoryLog;
let store: MemoryStore;
let definitions: Definitions;
let now: number;
const names = new TopicAndGroupNames('t.');

beforeEach(async () => {
  now = start;
  log = new MemoryLog();
  store = new MemoryStore();
  definitions = openDefinitions({
    log,
    names,
    defaults: { partitions: 2 },
    kinds: [...resourceKinds, projectionKind, pipelineKind, subscriptionKind],
  });
  await definitions.start();
});

afterEach(() => definitions.close());

/** Returns the store's event eraser with some methods replaced, and a list of the calls of its methods. */
function eraserWith(replaced: Partial<EventRemover> = {}): { eraser: EventRemover; asked: string[] } {
  const asked: string[] = [];
  const methods = ['eraseEntity', 'expire', 'truncate', 'dropStream', 'removeLateRows', 'purge'] as const;
  const eraser = Object.fromEntries(
    methods.map((name) => [
      name,
      async (query: never) => {
        asked.push(name);
        return (replaced[name] ?? store.eraser[name].bind(store.eraser))(query);
      },
    ]),
  ) as unknown as EventRemover;
  return { eraser, asked };
}

function janitor(options: Partial<StoreGarbageCollectorOptions> = {}): StoreGarbageCollector {
  return new StoreGarbageCollector({
    ...{ definitions, eraser: store.eraser, admin: log.admin, topics: names },
    logger: createLogger({ name: 'test', level: 'silent' }),
    holds: (stream) => stream !== auditStream,
    removeOldVerdicts: async () => 0,
    now: () => now,
    intervalMs: 5 * minute,
    ...options,
  });
}

const create = (stream: string, retention?: StreamInput['retention']) =>
  definitions.createStream({ stream, retention }, systemActor);

const idOf = (stream: string) => definitions.stream(stream)?.id ?? stream;

/** Stores `count` events whose ingestion times are a minute apart; the last event is ingested now. */
async function write(name: string, count: number, partition = 0): Promise<void> {
  const stream = idOf(name);
  const block = rowBatchOf(
    { stream, partition },
    Array.from({ length: count }, (_, offset) => ({
      ...{ offset, event_id: uuid(offset), entity_id: offset % 2 ? 'ann' : 'bob' },
      ingested_at: (now - (count - 1 - offset) * minute) * 1000,
    })),
  );
  await store.writer.appendRowBatches([block], 'token');
}

async function offsets(stream: string): Promise<string[]> {
  const query = { access: allStreams, streams: [idOf(stream)], order: 'asc', limit: 100 } as const;
  const { items } = await store.reader.query(query);
  return items.map(({ partition, offset }) => `${partition}:${offset}`).sort();
}

async function erase(stream: string, entityId: string, end: number): Promise<void> {
  const entity_hash = entityHash(stream, entityId);
  const erased_at = new Date(now).toISOString();
  const { id } = definitions.stream(stream)!;
  const erasure = { stream: id, entity_hash, before: { 0: end }, erased_at };
  await definitions.erasures.change(erasureName(erasure), () => erasure, systemActor);
}

describe('Retention', () => {
  it('removes the events of a stream that are older than its retention, and no others', async () => {
    await create('short', { time: '3m' });
    await create('long', { time: '1h' });
    await create('unlimited');
    for (const stream of ['short', 'long', 'unlimited']) await write(stream, 6);
    await janitor().sweep();
    expect(await offsets('short')).toEqual(['0:2', '0:3', '0:4', '0:5']);
    expect([await offsets('long'), await offsets('unlimited')].map(({ length }) => length)).toEqual([6, 6]);
  });

  it('removes the events whose records Kafka has deleted, when the retention is a size', async () => {
    await create('sized', { bytes: 1_000_000 });
    await create('unlimited');
    for (const stream of ['sized', 'unlimited'])
      for (const partition of [0, 1]) await write(stream, 4, partition);
    const beginnings = [3, 0].map((beginning, partition) => ({ partition, beginning, end: 4 }));
    await janitor({ admin: { offsets: async () => beginnings } }).sweep();
    expect(await offsets('sized')).toEqual(['0:3', '1:0', '1:1', '1:2', '1:3']);
    expect(await offsets('unlimited')).toHaveLength(8);
  });

  it('is applied once per interval', async () => {
    await create('short', { time: '3m' });
    await write('short', 4);
    const { eraser, asked } = eraserWith();
    const one = janitor({ eraser });
    await one.sweep();
    now += 4 * minute;
    await one.sweep();
    expect(asked).toEqual(['expire']);
    now += minute;
    await one.sweep();
    expect([asked, await offsets('short')]).toEqual([['expire', 'expire'], []]);
  });

  it('is applied only by the process that owns partition 0 of the stream', async () => {
    await create('short', { time: '3m' });
    await create('other', { time: '3m' });
    for (const stream of ['short', 'other']) await write(stream, 6);
    await janitor({ holds: (stream) => stream === 'other' }).sweep();
    expect([await offsets('short'), await offsets('other')].map(({ length }) => length)).toEqual([6, 4]);
  });
});

describe('Erasures', () => {
  it('are repeated, because a zombie may have inserted erased events', async () => {
    await create('orders');
    await erase('orders', 'ann', 3);
    await write('orders', 6);
    await janitor().sweep();
    expect(await offsets('orders')).toEqual(['0:0', '0:2', '0:3', '0:4', '0:5']);
  });

  it('are repeated at growing intervals, for one day', async () => {
    await create('orders');
    await erase('orders', 'ann', 3);
    const { eraser, asked } = eraserWith();
    const one = janitor({ eraser });
    for (const end = now + 2 * day; now < end; now += 5 * minute) await one.sweep();
    const repeats = asked.filter((name) => name === 'eraseEntity').length;
    expect(repeats).toBeGreaterThan(5);
    expect(repeats).toBeLessThan(15);
  });

  it('are repeated in rounds of bounded size until all are repeated', async () => {
    await create('orders');
    for (let i = 0; i < 150; i++) await erase('orders', `entity-${i}`, 1);
    const { eraser, asked } = eraserWith();
    const one = janitor({ eraser });
    now += minute;
    await one.sweep();
    expect(asked).toHaveLength(100);
    now += 5 * minute;
    await one.sweep();
    now += 5 * minute;
    await one.sweep();
    expect(asked.length).toBeGreaterThanOrEqual(250);
  });
});

describe('Stream deletions', () => {
  it('are finished after a minute when the process that began them does not finish them', async () => {
    const { id } = (await create('orders')).definition;
    await write('orders', 3);
    const one = janitor({ holds: () => true });
    await definitions.beginDeletion('orders', systemActor);
    await one.sweep();
    now += 30_000;
    await one.sweep();
    expect(definitions.stream('orders')?.state).toBe('deleting');
    now += 30_000;
    await one.sweep();
    expect([definitions.stream('orders'), await offsets('orders')]).toEqual([undefined, []]);
    expect(await log.admin.partitions(names.ofStream(id))).toBeUndefined();
  });
});

describe('Rows that are inserted late', () => {
  const everywhere = { holds: () => true };
  const removedLate = async () =>
    (await deletedEvents.get()).values.find(({ labels }) => labels.reason === 'late')?.value ?? 0;
  /** Deletes a stream, and resolves with the id of the stream. */
  const deleted = async (stream: string): Promise<string> => {
    const id = idOf(stream);
    await definitions.deleteStream(stream, (one) => store.eraser.dropStream(one), systemActor);
    return id;
  };

  it('are removed when their stream is deleted, also by a process that has not read the deletion', async () => {
    await create('orders');
    const former = await deleted('orders');
    await create('orders');
    await write('orders', 1, 1);
    await write(former, 3);
    expect(await offsets('orders')).toEqual(['1:0']);
    expect(await store.writer.lastStoredOffset(former, 0)).toBe(2);
    const before = await removedLate();
    await janitor(everywhere).sweep();
    expect(await store.writer.lastStoredOffset(former, 0)).toBeUndefined();
    expect(await offsets('orders')).toEqual(['1:0']);
    // The metric counts events, but `removeLate` returns a number of streams.
    expect(await removedLate()).toBe(before);
  });

  it('are kept when their stream was never deleted, because the log may have been lost', async () => {
    await write('orders', 3);
    now += day;
    await janitor(everywhere).sweep();
    expect(await offsets('orders')).toHaveLength(3);
  });
});

describe('The store garbage collection', () => {
  it('removes late rows and purges removed rows from disk in one process, at its start and hourly', async () => {
    const { eraser, asked } = eraserWith();
    const [one, other] = [true, false].map((holds) =>
      janitor({ eraser, holds: (stream) => stream === auditStream && holds }),
    ) as [StoreGarbageCollector, StoreGarbageCollector];
    for (const end = now + 130 * minute; now < end; now += 5 * minute)
      for (const each of [one, other]) await each.sweep();
    expect(asked.filter((name) => name === 'purge')).toHaveLength(3);
    expect(asked.filter((name) => name === 'removeLateRows')).toHaveLength(3);
  });

  it('runs the other tasks when one fails, and retries it later', async () => {
    for (const stream of ['a', 'b', 'c']) {
      await create(stream, { time: '3m' });
      await write(stream, 6);
    }
    let fails = true;
    const one = janitor({
      eraser: {
        ...eraserWith().eraser,
        expire: (query) => {
          if (fails && query.stream === idOf('b')) throw new Error('broken');
          return store.eraser.expire(query);
        },
      },
    });
    await one.sweep();
    expect([await offsets('a'), await offsets('b'), await offsets('c')].map((o) => o.length)).toEqual([
      4, 6, 4,
    ]);
    fails = false;
    now += 5 * minute;
    await one.sweep();
    expect(await offsets('b')).toEqual([]);
  });

  it('stops a round when the store is unreachable, and retries soon', async () => {
    for (const stream of ['a', 'b']) await create(stream, { time: '3m' });
    await write('b', 6);
    let down = true;
    const expire = async (query: Parameters<EventRemover['expire']>[0]) => {
      if (down) throw new StoreUnavailableError('down');
      return store.eraser.expire(query);
    };
    const { eraser, asked } = eraserWith({ expire });
    const one = janitor({ eraser });
    await one.sweep();
    expect(asked).toEqual(['expire']);
    down = false;
    now += minute;
    await one.sweep();
    expect(await offsets('b')).toEqual(['0:3', '0:4', '0:5']);
  });

  it('starts no task after it is stopped, and waits for the running one', async () => {
    for (const stream of ['a', 'b']) await create(stream, { time: '3m' });
    let letGo: () => void = () => undefined;
    const { eraser, asked } = eraserWith({
      expire: () => new Promise((resolve) => (letGo = () => resolve(0))),
    });
    const one = janitor({ eraser });
    const sweeping = one.sweep();
    await new Promise(setImmediate);
    let stopped = false;
    const stopping = one.stop().then(() => (stopped = true));
    await new Promise(setImmediate);
    expect(stopped).toBe(false);
    letGo();
    await Promise.all([sweeping, stopping]);
    expect(asked).toEqual(['expire']);
  });
});
