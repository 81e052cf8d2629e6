import { StalledConsumerDetector } from '#engine';
import { noErasures } from '#engine/memory';
import { allStreams } from '#api';
import { TopicAndGroupNames } from '#event';
import { unknownEpoch, type ConsumerHandler, type Log, type ConsumerRecord } from '#kafka';
import { MemoryLog } from '#kafka/memory';
import { MemoryStore } from '#store/memory';
import { createLogger } from '#telemetry';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { uuid, valueOf } from './row-batch.fixture.js';
import { Materializer } from './materializer.js';

const topics = new TopicAndGroupNames('test.');
const place = { topic: topics.ofStream('orders#1'), partition: 0 };

const recordAt = (offset: number): ConsumerRecord => ({
  ...place,
  offset,
  key: null,
  value: Buffer.from(valueOf({ event_id: uuid(offset) })),
  timestamp: 1_795_000_000_000,
  headers: {},
});

/** An in-memory log whose batches the spec passes to the consumer itself, and which records the committed offsets. */
class ScriptedLog extends MemoryLog {
  readonly commits: number[] = [];

  override consumer(): ReturnType<Log['consumer']> {
    return {
      subscribe: async () => undefined,
      joined: true,
      fetchNow: () => undefined,
      reassign: () => undefined,
      commit: async (_topic, _partition, offset) => this.commits.push(offset) > 0,
      close: async () => undefined,
    };
  }
}

describe('Offsets without records', () => {
  let log: ScriptedLog;
  let store: MemoryStore;
  let materializer: Materializer;

  const batch = (
    records: ConsumerRecord[],
    next: number,
    rest: object = {},
  ): ReturnType<ConsumerHandler['batch']> =>
    materializer.batch({ ...place, records, bytes: 1000, next, highWatermark: 100, ...rest });
  const untilCommitted = (offset: number) =>
    vi.waitFor(() => expect(log.commits.at(-1)).toBe(offset), { timeout: 20_000, interval: 2 });

  beforeEach(async () => {
    log = new ScriptedLog();
    store = new MemoryStore();
    materializer = new Materializer({
      eraser: store.eraser,
      writeBackEvents: 1000,
      ...{ log, topics, writer: store.writer, progress: new StalledConsumerDetector(), cachedEntities: 100 },
      logger: createLogger({ name: 'test', level: 'silent' }),
      window: { records: 1000, milliseconds: 60_000 },
      far: { milliseconds: 0 },
      farBytes: 0,
      erasures: noErasures,
      limits: { insertRows: 500, insertBytes: 1e6, intervalMs: 0, queueBytes: 2e6 },
      onFailure: (error) => expect.unreachable(error.message),
    });
    await materializer.assigned({
      ...place,
      ...{ position: 10, beginning: 10 },
      offsetAt: async () => 10,
      timestampAtPosition: async () => 1_795_000_000_000,
      epochBefore: () => unknownEpoch,
      epochStartIn: () => undefined,
      lostBefore: async () => undefined,
    });
  });
  afterEach(() => materializer.close(0));

  it('are committed after the records before them', async () => {
    await batch([recordAt(10)], 12);
    await untilCommitted(12);
    await batch([], 15);
    await untilCommitted(15);
    await batch([recordAt(15)], 16);
    await untilCommitted(16);
    expect(log.commits).toEqual([12, 15, 16]);
  });

  it('are not committed before the records before them are stored', async () => {
    let letGo = () => {};
    const append = store.writer.appendRowBatches.bind(store.writer);
    store.writer.appendRowBatches = async (...rows) => {
      await new Promise<void>((resolve) => (letGo = resolve));
      await append(...rows);
    };
    await batch([recordAt(10)], 11);
    await batch([], 15);
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(log.commits).toEqual([]);
    letGo();
    await untilCommitted(15);
  });

  it('become a dead letter when the client cannot decode them, and the consumer continues', async () => {
    await batch([recordAt(10), recordAt(14)], 15, {
      undecodable: [
        { offset: 4, lastOffset: 9, reason: 'committed before' },
        { offset: 11, lastOffset: 13, reason: 'unknown codec 7' },
      ],
    });
    await untilCommitted(15);
    const { items } = await store.reader.deadLetters({ access: allStreams, limit: 10 });
    expect(items).toMatchObject([
      {
        source: 'materializer',
        stream: 'orders',
        ...{ partition: 0, offset: 11, event: '', reason: 'unreadable' },
        error: 'offsets 11 to 13: unknown codec 7',
      },
    ]);
    expect((await store.reader.query({ access: allStreams, order: 'asc', limit: 10 })).items).toHaveLength(2);
  });
});
