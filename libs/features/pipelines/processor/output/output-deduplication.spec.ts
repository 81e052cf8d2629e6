import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { KafkaOrClickHouseRetrier } from '#engine';
import { TopicAndGroupNames } from '#event';
import type { EpochMicros } from '#json';
import type { Producer } from '#kafka';
import { MemoryLog } from '#kafka/memory';
import type { EventRow } from '#store';
import { MemoryStore } from '#store/memory';
import { createLogger } from '#telemetry';
import { rowBatchesOf } from '../../../../core/store/row-batch/row-batches-of.fixture.js';
import { OutputDeduplication, type DeduplicationDependencies } from './output-deduplication.js';

const topics = new TopicAndGroupNames('test');
const [stream, topic] = ['totals', topics.ofStream('totals#1')];
const window = { records: 20, milliseconds: 60_000 };
const never = new AbortController().signal;
const logger = createLogger({ name: 'test', level: 'silent' });

describe('OutputDeduplication', () => {
  let log: MemoryLog;
  let store: MemoryStore;
  let producer: Producer;
  let parts: DeduplicationDependencies;
  let looks: number;
  let live: { id: string; state: 'live' | 'deleting' } | undefined;

  beforeEach(async () => {
    [log, store, looks] = [new MemoryLog(), new MemoryStore(), 0];
    live = { id: 'totals#1', state: 'live' };
    producer = await log.producer();
    await log.admin.create(topic, { partitions: 2 });
    const progress = { attempted: () => void looks++ };
    parts = {
      ...{ admin: log.admin, reader: store.reader, topics, window, now: Date.now, lookMs: 5 },
      definitions: { stream: (name) => (name === stream ? (live as never) : undefined) },
      retry: new KafkaOrClickHouseRetrier({ logger }),
      ...{ progress, logger },
    };
  });

  /** Writes `count` events to a partition and stores the first `materialized` of them. Resolves with their ids. */
  const write = async (count: number, { partition = 0, materialized = count } = {}): Promise<string[]> => {
    const ids = Array.from({ length: count }, () => randomUUID());
    const records = ids.map((id) => ({ topic, key: id, partition, value: id }));
    const positions = await producer.append(records);
    const rows = positions.map(({ offset }, i) => rowOf(ids[i]!, { partition, offset }));
    await store.writer.appendRowBatches(rowBatchesOf(rows.slice(0, materialized)), randomUUID());
    await materializerIsAt(partition, positions[0]!.offset + materialized);
    return ids;
  };
  const materializerIsAt = async (partition: number, offset: number): Promise<void> => {
    const consumer = log.consumer({
      group: topics.materializerGroup,
      handler: {
        assigned: async ({ position }) => position,
        batch: () => Promise.resolve(),
        revoked: () => undefined,
      },
      onCrash: () => undefined,
    });
    await consumer.subscribe([topic]);
    await expect.poll(() => consumer.commit(topic, partition, offset)).toBe(true);
    await consumer.close();
  };
  const since = (savedAt: EpochMicros, streams = [stream]) =>
    OutputDeduplication.since(parts, { streams, savedAt, end: 1000 }, never);
  const ago = (ms: number): EpochMicros => (Date.now() - ms) * 1000;

  it('is not needed while the output is within the id windows of the readers', async () => {
    await write(10);
    expect(await since(ago(0))).toBeUndefined();
    expect(await since(ago(0), [])).toBeUndefined();
    expect(await since(ago(0), ['gone'])).toBeUndefined();
  });

  it('finds written ids in the store when more than half an id window has been written since', async () => {
    const ids = await write(11, { partition: 1 });
    const before = await since(ago(0));
    const mine = randomUUID();
    expect([...(await before!.among(stream, [ids[3]!, mine], never))]).toEqual([ids[3]]);
    expect([...(await before!.among('other', ids, never))]).toEqual([]);
  });

  it('finds written ids in the store when the checkpoint is older than half an id window', async () => {
    const ids = await write(3);
    const before = await since(ago(31_000));
    expect((await before!.among(stream, ids, never)).size).toBe(3);
  });

  it('waits until the materializer has stored the previous output', async () => {
    const ids = await write(12, { materialized: 4 });
    const before = await since(ago(0));
    const asked = before!.among(stream, [ids[9]!], never);
    await expect.poll(() => looks).toBeGreaterThan(2);
    await store.writer.appendRowBatches(
      rowBatchesOf([rowOf(ids[9]!, { partition: 0, offset: 9 })]),
      randomUUID(),
    );
    await materializerIsAt(0, 12);
    expect([...(await asked)]).toEqual([ids[9]]);
  });

  it.each([
    ['is deleted', undefined],
    ['is being deleted', { id: 'totals#1', state: 'deleting' as const }],
    ['was recreated', { id: 'totals#2', state: 'live' as const }],
  ])('does not wait for a stream that %s, because the materializer does not finish it', async (_, now) => {
    const ids = await write(12, { materialized: 4 });
    const asked = (await since(ago(0)))!.among(stream, ids, never);
    await expect.poll(() => looks).toBeGreaterThan(0);
    live = now;
    expect((await asked).size).toBe(4);
  });

  it('rejects when the partition is revoked during the wait', async () => {
    const ids = await write(12, { materialized: 4 });
    const end = new AbortController();
    const asked = (await since(ago(0)))!.among(stream, ids, end.signal);
    end.abort(new Error('revoked'));
    await expect(asked).rejects.toThrow();
  });

  it('is over at the previous end offset of the partition, or after many ids were not found', async () => {
    const ids = await write(12);
    const before = (await since(ago(0)))!;
    expect([before.isOver(999), before.isOver(1000)]).toEqual([false, true]);
    const others = Array.from({ length: 9_999 }, () => randomUUID());
    await before.among(stream, others, never);
    await before.among(stream, ids, never);
    await before.among(stream, others, never);
    expect(before.isOver(0)).toBe(false);
    await before.among(stream, [randomUUID()], never);
    expect(before.isOver(0)).toBe(true);
  });
});

function rowOf(event_id: string, place: { partition: number; offset: number }): EventRow {
  const at = Date.now() * 1000;
  return {
    ...{ event_id, stream: 'totals#1', ...place, event_type: 't', entity_id: null, version: null },
    ...{ timestamp: at, ingested_at: at, schema_version: null, metadata: '{}', data: '{}' },
  };
}
