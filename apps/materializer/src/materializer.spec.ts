import { StalledConsumerDetector } from '#engine';
import { MemoryErasures, noErasures } from '#engine/memory';
import { allStreams } from '#api';
import { entityHash, expectedVersionHeader, TopicAndGroupNames } from '#event';
import { MemoryLog } from '#kafka/memory';
import {
  RowsRejectedError,
  StoreUnavailableError,
  type EventRowBatch,
  type EventRow,
  type EventWriter,
  type PartitionShard,
  type ScrubbedEvent,
  type OffsetRange,
} from '#store';
import { MemoryStore } from '#store/memory';
import { createLogger } from '#telemetry';
import { InMemoryTracing } from '#telemetry/memory';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { rowBatchesOf } from '../../../libs/core/store/row-batch/row-batches-of.fixture.js';
import { uuid, valueOf } from './row-batch.fixture.js';
import { Materializer, type MaterializerOptions } from './materializer.js';
import type { MaterializerStore } from './partition/materializer-dependencies.js';

const topics = new TopicAndGroupNames('test.');
const topic = topics.ofStream('orders#1');

/** A writer to the in-memory store with faults that a spec switches on and off. */
class FaultyWriter implements MaterializerStore {
  down = false;
  /** Number of shards; partition n is in shard n modulo this. */
  shards = 1;
  /** The shard that does not answer. */
  downShard: number | undefined;
  lettersRefused = false;
  refuses: (row: EventRow) => boolean = () => false;
  /** Called before each insert is applied to the store. */
  before: (rows: readonly EventRow[]) => Promise<void> | void = () => undefined;
  /** Called after each insert is applied to the store and before the insert resolves. */
  after: () => Promise<void> | void = () => undefined;
  readonly inserted: number[] = [];
  readonly tokens: string[] = [];

  constructor(private readonly writer: EventWriter) {}

  async appendRowBatches(blocks: readonly EventRowBatch[], token: string): Promise<void> {
    this.tokens.push(token);
    this.throwIfDown();
    // The rows of an insert are fixed when the insert begins.
    const sent = blocks.flatMap((block) => block.rows());
    for (const { partition } of sent) this.throwIfDown(partition);
    if (sent.some((row) => this.refuses(row))) throw new RowsRejectedError('cannot be stored');
    await this.before(sent);
    await this.writer.appendRowBatches(rowBatchesOf(sent), token);
    this.inserted.push(...sent.map(({ offset }) => offset));
    await this.after();
  }

  async appendDeadLetters(letters: Parameters<MaterializerStore['appendDeadLetters']>[0]): Promise<void> {
    this.throwIfDown();
    if (this.lettersRefused) throw new RowsRejectedError('cannot be stored');
    await this.writer.appendDeadLetters(letters);
  }

  async shardOf(_stream: string, partition: number): Promise<PartitionShard> {
    this.throwIfDown();
    return { shard: partition % this.shards, shards: this.shards };
  }

  async lastStoredOffset(stream: string, partition: number): Promise<number | undefined> {
    this.throwIfDown(partition);
    this.throwIfDown();
    return this.writer.lastStoredOffset(stream, partition);
  }

  async storedEvents(range: OffsetRange): Promise<ScrubbedEvent[]> {
    this.throwIfDown();
    return this.writer.storedEvents(range);
  }

  async countFrom(query: Parameters<MaterializerStore['countFrom']>[0]): Promise<number> {
    this.throwIfDown();
    return this.writer.countFrom(query);
  }

  async eventsAt(query: Parameters<MaterializerStore['eventsAt']>[0]): Promise<EventRow[]> {
    this.throwIfDown();
    return this.writer.eventsAt(query);
  }

  async latestVersions(
    query: Parameters<MaterializerStore['latestVersions']>[0],
  ): Promise<Map<string, number>> {
    this.throwIfDown();
    return this.writer.latestVersions(query);
  }

  async versionsOf(
    query: Parameters<MaterializerStore['versionsOf']>[0],
  ): Promise<Map<string, number | null>> {
    this.throwIfDown();
    return this.writer.versionsOf(query);
  }

  async offsetsOf(query: Parameters<MaterializerStore['offsetsOf']>[0]): Promise<Map<string, number[]>> {
    this.throwIfDown();
    return this.writer.offsetsOf(query);
  }

  async idsIn(range: OffsetRange): Promise<Uint32Array> {
    this.throwIfDown();
    return this.writer.idsIn(range);
  }

  private throwIfDown(partition = 0): void {
    if (this.down || partition % this.shards === this.downShard) throw new StoreUnavailableError('down');
  }
}

let log: MemoryLog;
let store: MemoryStore;
let writer: FaultyWriter;
let failures: Error[];
let running: Set<Materializer>;

beforeEach(async () => {
  log = new MemoryLog();
  store = new MemoryStore();
  writer = new FaultyWriter(store.writer);
  failures = [];
  running = new Set();
  await log.admin.create(topic, { partitions: 1 });
});

afterEach(async () => {
  log.down = false;
  await Promise.all([...running].map((materializer) => materializer.close(0)));
});

type StartOptions = Partial<Omit<MaterializerOptions, 'limits'> & MaterializerOptions['limits']>;

async function start(options: StartOptions = {}): Promise<Materializer> {
  const { insertRows = 500, insertBytes = 1_000_000, intervalMs = 0, queueBytes = 2_000_000 } = options;
  const materializer = new Materializer({
    ...{ log, writer, topics, eraser: store.eraser, writeBackEvents: 1000, leaderMs: 0 },
    logger: createLogger({ name: 'test', level: 'silent' }),
    progress: new StalledConsumerDetector(),
    window: { records: 1000, milliseconds: 60_000 },
    far: { milliseconds: 0 },
    farBytes: 0,
    erasures: noErasures,
    cachedEntities: 1000,
    limits: { insertRows, insertBytes, intervalMs, queueBytes },
    retryDelays: { firstDelayMs: 1, longestDelayMs: 5 },
    onFailure: (error) => failures.push(error),
    ...options,
  });
  running.add(materializer);
  await materializer.subscribe(['orders#1']);
  return materializer;
}

/** Ends a materializer as SIGKILL does: the materializer stores and commits nothing more. */
async function kill(materializer: Materializer): Promise<void> {
  running.delete(materializer);
  log.down = true;
  await materializer.close(0);
  log.down = false;
}

const eventOf = (id: number, entity: string | null) =>
  valueOf({
    event_id: uuid(id),
    entity_id: entity,
    timestamp: 1_795_000_000_000_000 + id,
    data: `{"id":${id}}`,
  });

async function write(
  events: { id: number; entity?: string | null; value?: string; headers?: Record<string, string> }[],
  to = topic,
): Promise<void> {
  const producer = await log.producer();
  await producer.append(
    events.map(({ id, entity = 'e', value, headers }) => ({
      topic: to,
      key: entity ?? uuid(id),
      value: value ?? eventOf(id, entity),
      headers,
    })),
  );
}

/** A promise that the spec resolves. */
function gate(): { promise: Promise<void>; resolve: () => void } {
  let resolve!: () => void;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => ({ id: from + i }));

async function stored(): Promise<{ id: number; version: number | null; offset: number }[]> {
  const { items } = await store.reader.query({ access: allStreams, order: 'asc', limit: 10_000 });
  const rows = items.map((event) => ({
    id: (JSON.parse(event.data) as { id: number }).id,
    version: event.version,
    offset: event.offset,
  }));
  return rows.sort((a, b) => a.offset - b.offset);
}

const letters = async () => (await store.reader.deadLetters({ access: allStreams, limit: 100 })).items;
const committed = async () => (await log.admin.committed(topics.materializerGroup, topic)).get(0);
const untilCommitted = (offset: number) =>
  vi.waitFor(async () => expect(await committed()).toBe(offset), { timeout: 20_000, interval: 2 });
const inOrder = (from: number, to: number) =>
  range(from, to).map(({ id }) => ({ id, version: id + 1, offset: id }));

/** An eraser whose first removal of lost events fails for good. */
function failingOnce(eraser: MemoryStore['eraser']) {
  let calls = 0;
  const failing = Object.create(eraser) as MemoryStore['eraser'];
  failing.removeLost = async (lost) => {
    if (calls++ === 0) throw new Error('the process dies here');
    await eraser.removeLost(lost);
  };
  return { eraser: failing };
}

describe('Materializer', () => {
  it('stores the events of the log in order with their versions, and commits', async () => {
    await write(range(0, 10));
    await start();
    await untilCommitted(10);
    await write(range(10, 20));
    await untilCommitted(20);
    expect(await stored()).toEqual(inOrder(0, 20));
  });

  it('records spans of a traced request until its events are stored', async () => {
    const tracing = new InMemoryTracing();
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const producer = await log.producer();
    const traced = (flags: string, id: number) => ({
      ...{ topic, key: 'e', value: eventOf(id, 'e') },
      headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-${flags}`, 'x-request-id': 'r-1' },
    });
    let open = 0;
    writer.before = () => {
      if (open++ === 0) throw new StoreUnavailableError('at first');
      expect(tracing.spans).toEqual([]);
    };
    await start({ tracing });
    await producer.append([traced('00', 0), traced('01', 1), traced('01', 2)]);
    await untilCommitted(3);
    const [insert, request, ...others] = tracing.spans;
    expect(others).toEqual([]);
    expect(request).toMatchObject({
      ...{ name: 'materialize orders', traceId, parentSpanId: '00f067aa0ba902b7', error: undefined },
      attributes: {
        'messaging.kafka.offset': 1,
        'messaging.batch.message_count': 2,
        'tributary.request_id': 'r-1',
      },
    });
    expect(insert).toMatchObject({
      ...{ name: 'INSERT events', traceId, parentSpanId: request!.spanId },
      attributes: { 'db.system.name': 'clickhouse', 'db.operation.batch.size': 3 },
    });
  });

  it('stores no event twice after a crash between the insert and the commit', async () => {
    writer.after = () => {
      log.down = true;
    };
    const crashing = await start();
    await write(range(0, 10));
    await vi.waitFor(() => expect(log.down).toBe(true), { timeout: 20_000 });
    await kill(crashing);
    expect(await committed()).toBeUndefined();
    writer.after = () => undefined;
    await write(range(10, 15));
    await start();
    await untilCommitted(15);
    expect(writer.inserted.sort((a, b) => a - b)).toEqual(range(0, 15).map(({ id }) => id));
    expect(await stored()).toEqual(inOrder(0, 15));
  });

  it('repeats an insert whose response was lost with the same token', async () => {
    let answers = 0;
    writer.after = () => {
      if (answers++ < 2) throw new StoreUnavailableError('the response was lost');
    };
    await write(range(0, 10));
    await start();
    await untilCommitted(10);
    expect(writer.tokens).toEqual(Array(3).fill(writer.tokens[0]));
    expect(await stored()).toEqual(inOrder(0, 10));
    await write(range(10, 11));
    await untilCommitted(11);
    expect(writer.tokens[3]).not.toBe(writer.tokens[0]);
  });

  it('writes the events of a topic to it again, with their ids, after another client has recreated it', async () => {
    await write(range(0, 10));
    const first = await start();
    await untilCommitted(10);
    await first.close(5000);
    log = new MemoryLog();
    await log.admin.create(topic, { partitions: 1 });
    await write(range(100, 106));
    await start();
    await untilCommitted(16);
    expect(await stored()).toEqual(
      [...range(100, 106), ...range(0, 10)].map(({ id }, i) => ({ id, version: i + 1, offset: i })),
    );
  });

  describe('given a log that has lost the last four of ten stored events', () => {
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    const logger = createLogger({ name: 'test', level: 'warn' }, destination);
    const said = () => lines.filter((line) => line.includes('Kafka has lost records'));
    /** The events after the loss, in log order with their versions: each once, and the lost ones after the new ones. */
    const afterLoss = (count: number) =>
      [...range(0, 6), ...range(100, 100 + count), ...range(6, 10)].map(({ id }, i) => ({
        ...{ id, version: i + 1, offset: i },
      }));
    const count = async () =>
      (await store.reader.streams({ access: allStreams, streams: ['orders#1'] }))[0]?.events;

    beforeEach(async () => {
      lines.length = 0;
      await write(range(0, 10));
    });

    it.each([3, 9])(
      'when %i events are written at their offsets while it runs, writes the lost ones to the log again, and says so',
      async (written) => {
        await start({ logger });
        await untilCommitted(10);
        log.topics.get(topic)!.loseEnd(0, 6);
        await write(range(100, 100 + written));
        await untilCommitted(10 + written);
        expect(await stored()).toEqual(afterLoss(written));
        expect(await count()).toBe(10 + written);
        expect(said()).toHaveLength(1);
        expect(said()[0]).toContain('"from":6,"until":10');
      },
    );

    it('when it is started after events were written at their offsets, writes the lost ones to the log again', async () => {
      const first = await start();
      await untilCommitted(10);
      await first.close(5000);
      log.topics.get(topic)!.loseEnd(0, 6);
      await write(range(100, 109));
      await start({ logger });
      await untilCommitted(19);
      expect(await stored()).toEqual(afterLoss(9));
      expect(said()).toHaveLength(1);
    });

    /** Stores ten events, of which the log and the committed offset have only the first six. */
    async function crashBeforeCommit(): Promise<void> {
      writer.after = () => {
        log.down = true;
      };
      const crashing = await start();
      await vi.waitFor(() => expect(log.down).toBe(true), { timeout: 20_000 });
      await kill(crashing);
      writer.after = () => undefined;
      log.topics.get(topic)!.loseEnd(0, 6);
    }

    it('when the committed offset is lost too, writes back what is beyond the end of the log', async () => {
      await crashBeforeCommit();
      await start({ logger });
      await untilCommitted(10);
      expect(await stored()).toEqual(inOrder(0, 10));
      expect(await count()).toBe(10);
      expect(said()[0]).toContain('"from":6,"until":10');
    });

    it('when the committed offset is lost too, and the log has other events at all of their offsets, notices it by the ids', async () => {
      await crashBeforeCommit();
      await write(range(100, 109));
      await start({ logger });
      await untilCommitted(19);
      expect(await stored()).toEqual(afterLoss(9));
      expect(await count()).toBe(19);
      expect(said()).toHaveLength(1);
      expect(said()[0]).toContain('"from":6,"until":10');
    });

    it('when two partitions of a topic notice it by the ids, one while the other recovers, recovers both', async () => {
      const pairs = topics.ofStream('pairs#1');
      await log.admin.create(pairs, { partitions: 2 });
      const producer = await log.producer();
      const append = (ids: { id: number }[]) =>
        producer.append(
          [0, 1].flatMap((partition) =>
            ids.map(({ id }) => ({
              ...{ topic: pairs, partition, key: `e${partition}` },
              value: eventOf(id + 1000 * partition, `e${partition}`),
            })),
          ),
        );
      await append(range(0, 10));
      writer.after = async () => {
        const summary = await store.reader.streams({ access: allStreams, streams: ['pairs#1'] });
        if (summary[0]?.events === 20) log.down = true;
      };
      const crashing = await start();
      await crashing.subscribe(['pairs#1']);
      await vi.waitFor(() => expect(log.down).toBe(true), { timeout: 20_000 });
      await kill(crashing);
      writer.after = () => undefined;
      log.topics.get(pairs)!.loseEnd(0, 6);
      log.topics.get(pairs)!.loseEnd(1, 6);
      await append(range(100, 109));
      // The second partition notices its loss while the first one reads the events that it writes back.
      const after = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
      const slow = Object.assign(Object.create(writer) as FaultyWriter, {
        storedEvents: async (of: OffsetRange) => {
          if (of.partition === 1) await after(100);
          return writer.storedEvents(of);
        },
        eventsAt: async (query: Parameters<MaterializerStore['eventsAt']>[0]) => {
          await after(150);
          return writer.eventsAt(query);
        },
      });
      const next = await start({ writer: slow });
      await next.subscribe(['pairs#1']);
      const found = async () => {
        const query = { access: allStreams, streams: ['pairs#1'], order: 'asc', limit: 100 } as const;
        return (await store.reader.query(query)).items.map(({ event_id }) => event_id);
      };
      const all = [0, 1].flatMap((partition) =>
        [...range(0, 10), ...range(100, 109)].map(({ id }) => uuid(id + 1000 * partition)),
      );
      await vi.waitFor(async () => expect((await found()).sort()).toEqual(all.sort()), { timeout: 10_000 });
      const ends = async () => [...(await log.admin.committed(topics.materializerGroup, pairs)).values()];
      await vi.waitFor(
        async () => expect(await ends()).toEqual((await log.admin.offsets(pairs)).map(({ end }) => end)),
        {
          timeout: 10_000,
        },
      );
    });

    it('when the process dies between writing back and removing the old rows, has each event once', async () => {
      const first = await start({ eraser: failingOnce(store.eraser).eraser });
      await untilCommitted(10);
      log.topics.get(topic)!.loseEnd(0, 6);
      await write(range(100, 109));
      await vi.waitFor(() => expect(failures).toHaveLength(1), { timeout: 20_000 });
      await kill(first);
      await start();
      await vi.waitFor(async () => expect(await stored()).toEqual(afterLoss(9)), { timeout: 20_000 });
      expect(await count()).toBe(19);
    });

    it('when another process has taken over before the rows are removed, keeps the rows whose events got their offsets again', async () => {
      await crashBeforeCommit();
      const frozen = gate();
      const reached = gate();
      const removed = gate();
      const eraser = Object.create(store.eraser) as MemoryStore['eraser'];
      eraser.removeLost = async (lost) => {
        reached.resolve();
        await frozen.promise;
        await store.eraser.removeLost(lost);
        removed.resolve();
      };
      const first = await start({ eraser });
      await reached.promise;
      void first.dependencies.consumer.subscribe([]);
      await start();
      await untilCommitted(10);
      frozen.resolve();
      await removed.promise;
      expect(await stored()).toEqual(afterLoss(0));
    });

    it('when an insert of lost events ends after the loss, writes them back too', async () => {
      const held = gate();
      const waiting = gate();
      let isFirst = true;
      writer.before = async () => {
        if (!isFirst) return;
        isFirst = false;
        waiting.resolve();
        await held.promise;
      };
      await start();
      await waiting.promise;
      log.topics.get(topic)!.loseEnd(0, 6);
      await write(range(100, 103));
      await new Promise((resolve) => setTimeout(resolve, 200));
      held.resolve();
      await untilCommitted(13);
      expect(await stored()).toEqual(afterLoss(3));
    });

    it('when it reads the log again from its beginning, leaves a single stored event alone that the log does not have', async () => {
      const first = await start();
      await untilCommitted(10);
      await first.close(5000);
      const stray = { ...store.tables.events()[4]!, event_id: uuid(77), timestamp: 1 };
      store.tables.put([stray]);
      await log.admin.removeGroup(topics.materializerGroup);
      const erasures = new MemoryErasures();
      erasures.erase('orders', 'e', 3);
      await start({ erasures, logger });
      await untilCommitted(10);
      expect((await log.admin.offsets(topic))[0]?.end).toBe(10);
      expect((await stored()).filter(({ offset }) => offset === 4)).toHaveLength(2);
      expect(erasures.endOf({ stream: 'orders#1' }, 'e')).toBe(3);
      expect(said()).toEqual([]);
    });

    it('when more events are lost than it may write back, changes nothing, stops and says why', async () => {
      await start({ writeBackEvents: 3 });
      await untilCommitted(10);
      log.topics.get(topic)!.loseEnd(0, 6);
      await write(range(100, 102));
      await vi.waitFor(() => expect(failures).toHaveLength(1), { timeout: 20_000 });
      expect(failures[0]?.message).toMatch(/has 4 events there, more than WRITE_BACK_EVENTS \(3\)/);
      expect(await stored()).toEqual(inOrder(0, 10));
      expect((await log.admin.offsets(topic))[0]?.end).toBe(8);
    });

    it('decides conditional events at their offsets anew, whatever was decided there before', async () => {
      const conditional = (id: number, expected: number) => ({
        id,
        headers: { [expectedVersionHeader]: String(expected) },
      });
      await start();
      await untilCommitted(10);
      await write([conditional(10, 3), conditional(11, 10)]);
      await untilCommitted(12);
      expect((await stored()).map(({ id }) => id)).toEqual([...range(0, 10).map(({ id }) => id), 11]);
      log.topics.get(topic)!.loseEnd(0, 10);
      // The record at the offset of the refused one is accepted, and the one at the offset of the accepted one refused.
      await write([conditional(100, 10), conditional(101, 3)]);
      await untilCommitted(13);
      expect((await stored()).map(({ id, version }) => [id, version])).toEqual([
        ...range(0, 10).map(({ id }) => [id, id + 1]),
        [100, 11],
        [11, 12],
      ]);
    });

    it('does not erase an event at an offset that an erasure covered, and brings no erased event back', async () => {
      const erasures = new MemoryErasures();
      await write([{ id: 10, entity: 'ann' }, { id: 11 }, { id: 12, entity: 'ann' }]);
      await start({ erasures });
      await untilCommitted(13);
      erasures.erase('orders', 'ann', 12);
      await store.eraser.eraseEntity({
        stream: 'orders#1',
        entityHash: entityHash('orders', 'ann'),
        before: { 0: 12 },
      });
      log.topics.get(topic)!.loseEnd(0, 10);
      await write([{ id: 100, entity: 'ann' }]);
      const found = async () => (await stored()).slice(10).map(({ id, version }) => [id, version]);
      await vi.waitFor(
        async () =>
          expect(await found()).toEqual([
            [100, 1],
            [11, 11],
            [12, 2],
          ]),
        { timeout: 20_000 },
      );
      expect(await count()).toBe(13);
    });
  });

  it('when a stored event without a record is the last of a batch, changes nothing, and brings no erased event back', async () => {
    const window = { records: 5, milliseconds: 60_000 };
    await write([...range(0, 5), { id: 5, entity: 'ann' }, { id: 6, entity: 'ann' }, ...range(7, 10)]);
    const first = await start({ window });
    await untilCommitted(10);
    await first.close(5000);
    store.tables.put([{ ...store.tables.events()[4]!, event_id: uuid(77), timestamp: 1 }]);
    const erasures = new MemoryErasures();
    erasures.erase('orders', 'ann', 7);
    const erasure = { stream: 'orders#1', entityHash: entityHash('orders', 'ann'), before: { 0: 7 } };
    await store.eraser.eraseEntity(erasure);
    await log.admin.removeGroup(topics.materializerGroup);
    await start({ erasures, window });
    await untilCommitted(10);
    expect(erasures.endOf({ stream: 'orders#1' }, 'ann')).toBe(7);
    expect((await stored()).map(({ offset }) => offset)).toEqual([0, 1, 2, 3, 4, 4, 7, 8, 9]);
  });

  it('drops a repeated event id, also across a restart, and commits past it', async () => {
    await write([{ id: 0 }, { id: 1 }, { id: 0 }]);
    const first = await start();
    await untilCommitted(3);
    await first.close(5000);
    await write([{ id: 1 }, { id: 0 }]);
    const second = await start();
    await untilCommitted(5);
    await second.close(5000);
    await write([{ id: 2 }]);
    await start();
    await untilCommitted(6);
    expect(await stored()).toEqual([
      { id: 0, version: 1, offset: 0 },
      { id: 1, version: 2, offset: 1 },
      { id: 2, version: 3, offset: 5 },
    ]);
  });

  it('continues versions after a restart from the stored ones', async () => {
    await write([...range(0, 5), { id: 5, entity: 'other' }, { id: 6, entity: null }]);
    const first = await start();
    await untilCommitted(7);
    await first.close(5000);
    await write([{ id: 7 }, { id: 8, entity: 'other' }, { id: 9, entity: null }, { id: 10 }]);
    await start();
    await untilCommitted(11);
    expect((await stored()).slice(5).map(({ version }) => version)).toEqual([1, null, 6, 2, null, 7]);
  });

  it('counts the versions of more entities than it caches while inserts are slow', async () => {
    writer.before = () => new Promise((resolve) => setTimeout(resolve, 5));
    await start({ cachedEntities: 10, insertRows: 10 });
    for (let n = 0; n < 500; n += 10) {
      await write(range(n, n + 10).map(({ id }) => ({ id, entity: `entity-${id % 100}` })));
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await untilCommitted(500);
    expect((await stored()).map(({ version }) => version)).toEqual(
      range(0, 500).map(({ id }) => Math.floor(id / 100) + 1),
    );
  });

  it('stores each event once when a zombie inserts late', async () => {
    let letGo: () => void = () => undefined;
    const zombiesWriter = new FaultyWriter(store.writer);
    zombiesWriter.before = () => new Promise((resolve) => (letGo = resolve));
    const zombie = await start({ writer: zombiesWriter });
    await write(range(0, 10));
    await vi.waitFor(() => expect(zombiesWriter.tokens).toHaveLength(1), { timeout: 20_000 });
    // Another member of the consumer group takes over. The second member of the consumer group gets the only partition
    // when the first member leaves the group.
    const leaving = kill(zombie);
    await leaving;
    await start();
    await untilCommitted(10);
    await write(range(10, 20));
    await untilCommitted(20);
    letGo();
    await new Promise(setImmediate);
    expect(await stored()).toEqual(inOrder(0, 20));
    expect(await committed()).toBe(20);
  });

  it('stores an unreadable record as a dead letter and continues', async () => {
    await write([{ id: 0 }, { id: 1, value: 'junk' }, { id: 2 }]);
    await start();
    await untilCommitted(3);
    expect((await stored()).map(({ id, version }) => [id, version])).toEqual([
      [0, 1],
      [2, 2],
    ]);
    expect(await letters()).toMatchObject([
      {
        source: 'materializer',
        stream: 'orders',
        partition: 0,
        offset: 1,
        reason: 'unreadable',
        event: 'junk',
      },
    ]);
  });

  it('stores rows that the store rejects as dead letters, which take no version', async () => {
    writer.refuses = ({ offset }) => [3, 4, 17].includes(offset);
    await write(range(0, 20));
    await start();
    await untilCommitted(20);
    await write(range(20, 25));
    await untilCommitted(25);
    const kept = range(0, 25).filter(({ id }) => ![3, 4, 17].includes(id));
    expect(await stored()).toEqual(kept.map(({ id }, i) => ({ id, version: i + 1, offset: id })));
    const refused = await letters();
    expect(refused.map(({ offset, reason, event }) => [offset, reason, event]).sort()).toEqual(
      [17, 3, 4].map((id) => [id, 'refused_by_store', eventOf(id, 'e')]),
    );
  });

  it('lowers the versions of a batch whose verdicts are being published when the store rejects an earlier row', async () => {
    writer.refuses = ({ offset }) => offset === 1;
    await write(range(0, 1));
    const { publisher } = (await start()).dependencies;
    await untilCommitted(1);
    writer.down = true;
    await write(range(1, 3));
    const publish = publisher.publish.bind(publisher);
    let goOn: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    const publishing = vi.spyOn(publisher, 'publish').mockImplementation(async (...verdicts) => {
      await held;
      await publish(...verdicts);
    });
    const headers = { [expectedVersionHeader]: '3' };
    await (await log.producer()).append([{ topic, key: 'e', value: eventOf(3, 'e'), headers }]);
    await vi.waitFor(() => expect(publishing).toHaveBeenCalled(), { timeout: 20_000 });
    writer.down = false;
    await untilCommitted(3);
    goOn();
    await untilCommitted(4);
    await write([{ id: 4 }]);
    await untilCommitted(5);
    expect((await stored()).map(({ offset, version }) => [offset, version])).toEqual([
      [0, 1],
      [2, 2],
      [3, 3],
      [4, 4],
    ]);
  });

  it('gives the same versions when it crashes while it searches for a rejected row', async () => {
    writer.refuses = ({ offset }) => offset === 3;
    let inserts = 0;
    writer.after = () => {
      if (++inserts === 3) log.down = writer.down = true;
    };
    await write(range(0, 20));
    const crashing = await start();
    await vi.waitFor(() => expect(writer.down).toBe(true), { timeout: 20_000 });
    await kill(crashing);
    writer.down = false;
    await start();
    await untilCommitted(20);
    const kept = range(0, 20).filter(({ id }) => id !== 3);
    expect(await stored()).toEqual(kept.map(({ id }, i) => ({ id, version: i + 1, offset: id })));
  });

  it('does not store erased events, and continues the versions of later events from the store', async () => {
    const erasures = new MemoryErasures();
    await write(['a', 'b', 'a', 'b', 'a'].map((entity, id) => ({ id, entity })));
    const first = await start({ erasures });
    await untilCommitted(5);
    await first.close(5000);
    erasures.erase('orders', 'a', 6);
    await write(['a', 'a', 'b'].map((entity, id) => ({ id: id + 5, entity })));
    await start({ erasures });
    await untilCommitted(8);
    expect((await stored()).slice(5)).toEqual([
      { id: 6, version: 1, offset: 6 },
      { id: 7, version: 3, offset: 7 },
    ]);
  });

  it('does not store events that are erased while they wait, and restarts later versions at 1', async () => {
    const erasures = new MemoryErasures();
    let go: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (go = resolve));
    let first = true;
    writer.before = () => {
      if (!first) return;
      first = false;
      return held;
    };
    await write([{ id: 0, entity: 'x' }]);
    await start({ erasures, insertRows: 4 });
    await vi.waitFor(() => expect(first).toBe(false));
    for (const [id, entity] of ['a', 'b', 'a', 'a', 'b', 'a', 'a'].entries())
      await write([{ id: id + 1, entity }]);
    await new Promise((resolve) => setTimeout(resolve, 50));
    erasures.erase('orders', 'a', 5);
    go();
    await untilCommitted(8);
    await write([{ id: 8, entity: 'a' }]);
    await untilCommitted(9);
    expect(writer.inserted).toEqual([0, 2, 5, 6, 7, 8]);
    expect(await stored()).toEqual([
      { id: 0, version: 1, offset: 0 },
      { id: 2, version: 1, offset: 2 },
      { id: 5, version: 2, offset: 5 },
      { id: 6, version: 1, offset: 6 },
      { id: 7, version: 2, offset: 7 },
      { id: 8, version: 3, offset: 8 },
    ]);
  });

  it('continues from the stored versions past the end of an erasure that it reads late', async () => {
    const erasures = new MemoryErasures();
    await write(['a', 'a', 'a'].map((entity, id) => ({ id, entity })));
    await start({ erasures });
    await untilCommitted(3);
    let go: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (go = resolve));
    let asked = false;
    writer.before = () => {
      asked = true;
      return held;
    };
    await write([{ id: 3, entity: 'x' }]);
    await vi.waitFor(() => expect(asked).toBe(true));
    await write([{ id: 4, entity: 'a' }]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    erasures.erase('orders', 'a', 2);
    go();
    await untilCommitted(5);
    expect((await stored()).map(({ version }) => version)).toEqual([1, 2, 3, 1, 4]);
  });

  it('waits for an unreachable store with bounded memory, and drains when the store returns', async () => {
    writer.down = true;
    await write(range(0, 5000));
    await start({ queueBytes: 200_000 });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await committed()).toBeUndefined();
    writer.down = false;
    await untilCommitted(5000);
    expect(await stored()).toEqual(inOrder(0, 5000));
    expect(failures).toEqual([]);
  });

  it('given a shard that does not answer, stores and commits the events of the others, and its own when it is back', async () => {
    const carts = topics.ofStream('carts#1');
    await log.admin.create(carts, { partitions: 3 });
    writer.shards = 3;
    const materializer = await start({ queueBytes: 300_000 });
    await materializer.subscribe(['carts#1']);
    const producer = await log.producer();
    const write = (partition: number, ids: { id: number }[]) =>
      producer.append(
        ids.map(({ id }) => ({ topic: carts, partition, key: 'e', value: eventOf(id, `e${partition}`) })),
      );
    const untilCommitted = (expected: [number, number][]) =>
      vi.waitFor(
        async () =>
          expect([...(await log.admin.committed(topics.materializerGroup, carts))].sort()).toEqual(expected),
        { timeout: 20_000 },
      );
    await write(1, range(0, 1));
    await untilCommitted([[1, 1]]);
    writer.downShard = 1;
    await write(1, range(1, 3000));
    for (const partition of [0, 2])
      await write(partition, range(3000 * (partition + 1), 3000 * (partition + 2)));
    await untilCommitted([
      [0, 3000],
      [1, 1],
      [2, 3000],
    ]);
    writer.downShard = undefined;
    await untilCommitted([
      [0, 3000],
      [1, 3000],
      [2, 3000],
    ]);
    expect(await stored()).toHaveLength(9000);
    expect(failures).toEqual([]);
  });

  it('waits to commit while the log is unreachable', async () => {
    let inserts = 0;
    writer.after = () => {
      if (inserts++ === 0) log.down = true;
    };
    await write(range(0, 3));
    await start();
    await vi.waitFor(() => expect(log.down).toBe(true), { timeout: 20_000 });
    log.down = false;
    await untilCommitted(3);
    expect(failures).toEqual([]);
  });

  it('stops and commits nothing when the store rejects the dead letters', async () => {
    writer.lettersRefused = true;
    await write([{ id: 0, value: 'junk' }]);
    await start();
    await vi.waitFor(() => expect(failures).toHaveLength(1), { timeout: 20_000 });
    expect(failures[0]!.message).toContain('dead letters');
    expect(await committed()).toBeUndefined();
  });

  it('stores and commits the events that it has read when it is closed', async () => {
    const materializer = await start({ intervalMs: 60_000 });
    await write(range(0, 3));
    await untilCommitted(3);
    await write(range(3, 9));
    await new Promise((resolve) => setTimeout(resolve, 20));
    await materializer.close(5000);
    expect([await committed(), (await stored()).length]).toEqual([9, 9]);
  });

  it('closes within its time limit while the store is unreachable', async () => {
    writer.down = true;
    const materializer = await start({ queueBytes: 1000 });
    await write(range(0, 3000));
    await new Promise((resolve) => setTimeout(resolve, 20));
    await materializer.close(20);
    expect(await committed()).toBeUndefined();
  });

  it('stores the events of the new topic when a stream is deleted and recreated', async () => {
    let letGo: () => void = () => undefined;
    writer.before = () => new Promise((resolve) => (letGo = resolve));
    const materializer = await start({ insertRows: 2 });
    await write(range(0, 2));
    await vi.waitFor(() => expect(writer.tokens).toHaveLength(1), { timeout: 20_000 });
    await write(range(2, 6));
    await new Promise((resolve) => setTimeout(resolve, 20));
    await log.admin.remove(topic);
    const next = topics.ofStream('orders#2');
    await log.admin.create(next, { partitions: 1 });
    await materializer.subscribe(['orders#2']);
    writer.before = () => undefined;
    letGo();
    await write(range(10, 13), next);
    await vi.waitFor(async () => {
      expect((await log.admin.committed(topics.materializerGroup, next)).get(0)).toBe(3);
    });
    expect((await stored()).filter(({ id }) => id >= 2)).toEqual(
      range(10, 13).map(({ id }, offset) => ({ id, version: offset + 1, offset })),
    );
    expect(failures).toEqual([]);
  });

  it('stops retrying inserts of events whose stream is deleted', async () => {
    const others = topics.ofStream('others#1');
    await log.admin.create(others, { partitions: 1 });
    const materializer = await start({ insertRows: 4 });
    await materializer.subscribe(['orders#1', 'others#1']);
    await vi.waitFor(() => expect([...materializer.assignments]).toHaveLength(2), { timeout: 20_000 });
    writer.down = true;
    await write([...range(0, 2), { id: 2, value: 'no event' }]);
    await vi.waitFor(() => expect(writer.tokens.length).toBeGreaterThan(2), { timeout: 20_000 });
    await write(range(10, 12), others);
    await log.admin.remove(topic);
    await materializer.subscribe(['others#1']);
    writer.down = false;
    await vi.waitFor(async () => expect(await stored()).not.toEqual([]), { timeout: 20_000 });
    expect((await stored()).map(({ id }) => id)).toEqual([10, 11]);
    expect(await letters()).toEqual([]);
    expect(failures).toEqual([]);
  });

  it('reads new streams after it subscribes to them', async () => {
    const materializer = await start();
    const other = topics.ofStream('other#1');
    await log.admin.create(other, { partitions: 2 });
    await materializer.subscribe(['orders#1', 'other#1']);
    await write(
      range(0, 50).map(({ id }) => ({ id, entity: `e${id}` })),
      other,
    );
    await vi.waitFor(async () => expect(await stored()).toHaveLength(50), { timeout: 20_000 });
  });

  it('stores every event once with the right version under random failures and member changes', async () => {
    type Step =
      | { do: 'write'; ids: number[] }
      | { do: 'start' | 'kill' | 'close' | 'storeDown' | 'storeUp' | 'logDown' | 'logUp' | 'rest' };
    const step: fc.Arbitrary<Step> = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({
          do: fc.constant('write' as const),
          ids: fc.array(fc.nat(40), { maxLength: 8 }),
        }),
      },
      {
        weight: 6,
        arbitrary: fc.record({
          do: fc.constantFrom('start', 'kill', 'close', 'storeDown', 'storeUp', 'logDown', 'logUp', 'rest'),
        }),
      },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        log = new MemoryLog();
        store = new MemoryStore();
        writer = new FaultyWriter(store.writer);
        running.clear();
        await log.admin.create(topic, { partitions: 2 });
        const members: Materializer[] = [];
        const written: number[] = [];
        const options = { cachedEntities: 2, queueBytes: 2000, insertRows: 5 };
        for (const now of steps) {
          if (now.do === 'write') {
            const wasDown = log.down;
            log.down = false;
            await write(now.ids.map((id) => ({ id, entity: `e${id % 4}` })));
            log.down = wasDown;
            written.push(...now.ids);
          }
          if (now.do === 'start' && members.length < 3) members.push(await start(options));
          if (now.do === 'kill' && members.length > 0) await kill(members.shift()!);
          if (now.do === 'close' && members.length > 0) await members.shift()!.close(5);
          if (now.do === 'storeDown' || now.do === 'storeUp') writer.down = now.do === 'storeDown';
          if (now.do === 'logDown' || now.do === 'logUp') log.down = now.do === 'logDown';
          if (now.do === 'rest') await new Promise((resolve) => setTimeout(resolve, 3));
        }
        log.down = writer.down = false;
        await start(options);
        await vi.waitFor(
          async () => {
            const done = await log.admin.committed(topics.materializerGroup, topic);
            for (const { partition, end } of await log.admin.offsets(topic))
              expect(done.get(partition) ?? 0).toBe(end);
          },
          { timeout: 20_000, interval: 2 },
        );
        const { items } = await store.reader.query({ access: allStreams, order: 'asc', limit: 10_000 });
        for (let entity = 0; entity < 4; entity++) {
          const found = items
            .filter((event) => event.entity_id === `e${entity}`)
            .sort((a, b) => a.offset - b.offset);
          const firsts = [...new Set(written.filter((id) => id % 4 === entity))];
          expect(found.map(({ event_id, version }) => [event_id, version])).toEqual(
            firsts.map((id, i) => [uuid(id), i + 1]),
          );
        }
        await Promise.all([...running].map((materializer) => materializer.close(0)));
        expect(failures).toEqual([]);
      }),
      { numRuns: 60 },
    );
  }, 60_000);
});
