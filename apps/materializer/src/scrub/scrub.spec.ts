import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { StalledConsumerDetector } from '#engine';
import { MemoryErasures } from '#engine/memory';
import { expectedVersionHeader, TopicAndGroupNames } from '#event';
import { MemoryLog } from '#kafka/memory';
import { RowsRejectedError, StoreUnavailableError, type EventRow, type OffsetRange } from '#store';
import { MemoryStore } from '#store/memory';
import { createLogger } from '#telemetry';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { rowBatchesOf } from '../../../../libs/core/store/row-batch/row-batches-of.fixture.js';
import { Materializer } from '../materializer.js';
import { uuid, valueOf } from '../row-batch.fixture.js';
import { Scrub, type ScrubOptions } from './scrub.js';
import type { UnloggedEvent } from './scrub-dependencies.js';

const topics = new TopicAndGroupNames('test.');
const stream = 'orders#1';
const topic = topics.ofStream(stream);
const window = { records: 50, milliseconds: 60_000 };
const logger = createLogger({ name: 'test', level: 'silent' });

let log: MemoryLog;
let store: MemoryStore;
let erasures: MemoryErasures;
let materializer: Materializer;
let scrubs: Set<Scrub>;
let failures: Error[];
let tokens: string[];
let unlogged: UnloggedEvent[];

beforeEach(async () => {
  log = new MemoryLog();
  store = new MemoryStore();
  erasures = new MemoryErasures();
  [failures, tokens, unlogged] = [[], [], []];
  scrubs = new Set();
  await log.admin.create(topic, { partitions: 1 });
  materializer = new Materializer({
    eraser: store.eraser,
    writeBackEvents: 1000,
    ...{ log, topics, window, erasures, logger, writer: store.writer },
    far: { milliseconds: 0 },
    farBytes: 0,
    progress: new StalledConsumerDetector(),
    cachedEntities: 1000,
    limits: { insertRows: 500, insertBytes: 1_000_000, intervalMs: 0, queueBytes: 2_000_000 },
    retryDelays: { firstDelayMs: 1, longestDelayMs: 5 },
    onFailure: (error) => failures.push(error),
  });
  await materializer.subscribe([stream]);
});

afterEach(async () => {
  await Promise.all([...scrubs].map((scrub) => scrub.close()));
  await materializer.close(0);
  await log.close();
  expect(failures).toEqual([]);
});

interface Written {
  id?: number;
  entity?: string;
  expected?: number;
  value?: string;
}

/** Appends events with the ids 1, 2, 3 …, and waits until the materializer has read them. */
async function write(events: readonly Written[]): Promise<void> {
  const producer = await log.producer();
  const begin = await endOfLog();
  const positions = events.map(({ id, entity, expected, value }, i) => ({
    topic,
    key: entity ?? 'k',
    value: value ?? valueOf({ event_id: uuid(id ?? begin + i), entity_id: entity ?? null }),
    ...(expected !== undefined && { headers: { [expectedVersionHeader]: String(expected) } }),
  }));
  await producer.append(positions);
  const end = await endOfLog();
  await vi.waitFor(async () =>
    expect((await log.admin.committed(topics.materializerGroup, topic)).get(0)).toBe(end),
  );
}

async function endOfLog(): Promise<number> {
  return (await log.admin.offsets(topic))[0]!.end;
}

function start(options: Partial<ScrubOptions> = {}): Scrub {
  const scrub = new Scrub({
    settleMs: { due: 0, requested: 0 },
    progress: store.scrubPasses,
    ...{ log, topics, window, erasures, logger, reader: store.scrub },
    writer: {
      appendRowBatches: (batches, token) => {
        tokens.push(token);
        return store.writer.appendRowBatches(batches, token);
      },
      offsetsOf: (query) => store.writer.offsetsOf(query),
    },
    verdicts: materializer.dependencies.verdicts,
    inserts: { begin: () => undefined, end: () => undefined },
    eventsPerSecond: 1_000_000,
    intervalMs: 3_600_000,
    onUnlogged: async (_, events) => void unlogged.push(...events),
    ...options,
  });
  scrubs.add(scrub);
  return scrub;
}

/** Runs one pass, which ends with the commit of the beginning of the log. */
async function pass(options: Partial<ScrubOptions> = {}): Promise<void> {
  const scrub = start(options);
  await scrub.subscribe([stream]);
  await vi.waitFor(
    async () => {
      const { beginning } = (await log.admin.offsets(topic))[0]!;
      expect((await log.admin.committed(topics.scrubGroup, topic)).get(0)).toBe(beginning);
    },
    { interval: 5 },
  );
  await scrub.close();
  scrubs.delete(scrub);
}

function rows(): string[] {
  return store.tables
    .events()
    .sort((a, b) => a.offset - b.offset)
    .map((row) => `${row.offset} ${row.event_id.slice(-4)} ${row.entity_id} ${row.version}`);
}

const lose = (lost: (row: EventRow) => boolean): void => store.tables.lose(lost);
const ofEntity = (entity: string, count: number): Written[] =>
  Array.from({ length: count }, () => ({ entity }));

describe('Scrub', () => {
  it('inserts lost events again, with their versions and with a token of its own', async () => {
    await write([...ofEntity('a', 3), {}, ...ofEntity('b', 2), ...ofEntity('a', 2)]);
    const before = rows();
    lose(({ offset }) => [0, 2, 3, 4, 7].includes(offset));
    await pass();
    expect(rows()).toEqual(before);
    expect(tokens).toEqual([expect.stringMatching(/^scrub /)]);
  });

  it('inserts nothing if nothing is lost', async () => {
    await write([...ofEntity('a', 3), { id: 1 }, { value: 'junk' }]);
    await pass();
    expect(tokens).toEqual([]);
    expect(unlogged).toEqual([]);
  });

  it('repairs a store that has lost everything', async () => {
    await write([...ofEntity('a', 60), ...ofEntity('b', 60), ...ofEntity('a', 60)]);
    const before = rows();
    lose(() => true);
    await pass();
    expect(rows()).toEqual(before);
  });

  it('brings nothing back that was refused, repeated, unreadable, erased, or is past its retention', async () => {
    await write([
      ...[
        { entity: 'a', expected: 0 },
        { entity: 'a', expected: 0 },
        { entity: 'a', expected: 1 },
        { id: 0 },
      ],
      ...[{ value: 'junk' }, { entity: 'gone' }, { entity: 'b' }, { entity: 'gone' }],
    ]);
    erasures.erase('orders', 'gone', 8);
    lose(({ entity_id }) => entity_id === 'gone');
    await store.eraser.truncate({ stream, partition: 0, before: 2 });
    lose(({ offset }) => offset === 2 || offset === 6);
    await pass();
    expect(rows()).toEqual(['2 0002 a 2', '6 0006 b 1']);
  });

  it('takes the versions after rows that retention removed from the versions that are left', async () => {
    await write(ofEntity('a', 6));
    await store.eraser.truncate({ stream, partition: 0, before: 3 });
    const before = rows();
    lose(({ offset }) => offset === 3 || offset === 4);
    await pass();
    expect(rows()).toEqual(before);
  });

  it('brings nothing back that may repeat an event which the log has no more', async () => {
    await write([...ofEntity('a', 5), { id: 1, entity: 'a' }, { entity: 'a' }]);
    await store.eraser.truncate({ stream, partition: 0, before: 3 });
    log.topics.get(topic)!.truncate(0, 3);
    const before = rows();
    lose(({ offset }) => offset === 4 || offset === 6);
    await pass();
    expect(rows()).toEqual(before);
  });

  it('reports stored events that the log does not have, and leaves them', async () => {
    await write(ofEntity('a', 2));
    const [row] = store.tables.events();
    const other = { ...row!, event_id: uuid(77), offset: 1, timestamp: row!.timestamp + 1 };
    await store.writer.appendRowBatches(rowBatchesOf([other]), 'other');
    const before = rows();
    await pass();
    expect(unlogged).toEqual([{ offset: 1, event_id: uuid(77) }]);
    expect(rows()).toEqual(before);
  });

  it('checks erasures again directly before an insert', async () => {
    await write([...ofEntity('gone', 2), ...ofEntity('a', 1)]);
    lose(() => true);
    const reader = store.scrub;
    const late: ScrubOptions['reader'] = {
      eventsIn: (range) => reader.eventsIn(range),
      unequalRanges: () => reader.unequalRanges(),
      rememberedOffsets: (range) => reader.rememberedOffsets(range),
      firstRemovedOffset: (...partition) => reader.firstRemovedOffset(...partition),
      knownVersions: async (query) => {
        const known = await reader.knownVersions(query);
        erasures.erase('orders', 'gone', 9);
        return known;
      },
    };
    await pass({ reader: late });
    expect(rows()).toEqual(['2 0002 a 1']);
  });

  it('waits while the store is unavailable, and goes on after a row that the store rejects', async () => {
    await write(ofEntity('a', 4));
    lose(() => true);
    let attempts = 0;
    await pass({
      writer: {
        appendRowBatches: async (batches, token) => {
          if (++attempts < 3) throw new StoreUnavailableError('down');
          const sent = batches.flatMap((batch) => batch.rows());
          if (sent.some(({ offset }) => offset === 1)) throw new RowsRejectedError('no');
          await store.writer.appendRowBatches(batches, token);
        },
        offsetsOf: (query) => store.writer.offsetsOf(query),
      },
    });
    expect(rows()).toEqual(['0 0000 a 1', '2 0002 a 3', '3 0003 a 4']);
  });

  it('begins the next pass at the beginning of the log when the time between two passes is over', async () => {
    await write(ofEntity('a', 3));
    const scrub = start({ intervalMs: 50 });
    await scrub.subscribe([stream]);
    for (const offset of [0, 2]) {
      const before = rows();
      lose((row) => row.offset === offset);
      await vi.waitFor(() => expect(rows()).toEqual(before), { interval: 5 });
    }
  });

  it('begins a pass at the beginning of the log when it is requested, and saves its progress', async () => {
    await write(ofEntity('a', 6));
    const before = rows();
    await pass();
    const scrub = start();
    await scrub.subscribe([stream]);
    const request = randomUUID();
    const found = () => store.scrubPasses.of(request);
    await vi.waitFor(() => {
      scrub.begin(topic, request);
      return vi.waitFor(async () => expect((await found())[0]?.is_complete).toBe(true), { timeout: 500 });
    });
    expect(await found()).toMatchObject([{ stream, partition: 0, compared: 6, repaired: 0, unlogged: 0 }]);
    lose(({ offset }) => offset > 3);
    const next = randomUUID();
    scrub.begin('t.other', next);
    scrub.begin(topic, next);
    await vi.waitFor(async () =>
      expect(await store.scrubPasses.of(next)).toMatchObject([
        { compared: 6, repaired: 2, is_complete: true },
      ]),
    );
    expect(rows()).toEqual(before);
    expect((await found())[0]).toMatchObject({ repaired: 0 });
  });

  it('continues a requested pass in another process, and does not repeat it there when it is complete', async () => {
    await write(ofEntity('a', 6));
    const [request, stream_] = [randomUUID(), { stream, partition: 0 }];
    const row = { request, ...stream_, compared: 2, repaired: 1, unlogged: 0, undecided: 0 };
    await store.scrubPasses.save([{ ...row, is_complete: false, updated_at: Date.now() * 1000 }]);
    const found = async () => (await store.scrubPasses.of(request))[0]!;
    await start().subscribe([stream]);
    await vi.waitFor(async () =>
      expect(await found()).toMatchObject({ compared: 8, repaired: 1, is_complete: true }),
    );
    const { updated_at } = await found();
    const other = start();
    other.begin(topic, request);
    await Promise.all([...scrubs].filter((scrub) => scrub !== other).map((scrub) => scrub.close()));
    await other.subscribe([stream]);
    await sleep(300);
    expect(await found()).toMatchObject({ compared: 8, is_complete: true, updated_at });
  });

  it('completes a long pass while passes over another partition of the topic begin again and again', async () => {
    const wide = 'carts#1';
    await log.admin.create(topics.ofStream(wide), { partitions: 2 });
    await materializer.subscribe([stream, wide]);
    const events = Array.from({ length: 20 }, (_, i) => ({
      ...{ topic: topics.ofStream(wide), key: `entity-${i}` },
      value: valueOf({ event_id: uuid(i), entity_id: `entity-${i}` }),
    }));
    await (await log.producer()).append(events);
    await vi.waitFor(() => expect(store.tables.events()).toHaveLength(20));
    const before = rows();
    lose(({ partition }) => partition === 1);
    expect(rows().length).toBeLessThan(20);
    const passes = { 0: 0, 1: 0 };
    const reader = Object.assign(Object.create(store.scrub) as typeof store.scrub, {
      eventsIn: async (slice: OffsetRange) => {
        passes[slice.partition as 0 | 1]++;
        // Longer than a pass over the other partition.
        if (slice.partition === 1) await sleep(500);
        return await store.scrub.eventsIn(slice);
      },
    });
    await start({ intervalMs: 1, reader }).subscribe([wide]);
    await vi.waitFor(() => expect(rows()).toEqual(before), { timeout: 4000 });
    expect(passes[0]).toBeGreaterThan(1);
  });

  it('starts again after a failure', async () => {
    await write(ofEntity('a', 3));
    const before = rows();
    lose(() => true);
    let asked = 0;
    const verdicts = materializer.dependencies.verdicts;
    await pass({
      restartMs: 1,
      verdicts: {
        decidedUntil: (partition) => verdicts.decidedUntil(partition),
        isRefused: (partition, offset) => verdicts.isRefused(partition, offset),
        upToDate: (ms) => verdicts.upToDate(ms),
        readyIfUsed: async () => {
          if (asked++ === 0) throw new Error('broken');
          return await verdicts.readyIfUsed();
        },
      },
    });
    expect(rows()).toEqual(before);
  });
});
