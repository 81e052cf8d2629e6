import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RecordingConsumer, until } from '../../contract/recording-consumer.js';
import type { Log, RecordBatch } from '../../log.js';
import { openKafkaLog } from '../kafka-log.js';

interface ForeignProducer {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  send(records: object): Promise<unknown>;
  transaction(): Promise<{
    send(records: object): Promise<unknown>;
    commit(): Promise<void>;
    abort(): Promise<void>;
  }>;
}

interface Codec {
  compress(encoder: { buffer: Buffer }): Promise<Buffer>;
}

const { Kafka, CompressionTypes, CompressionCodecs } = createRequire(import.meta.url)('kafkajs') as {
  Kafka: new (config: object) => { producer(options?: object): ForeignProducer };
  CompressionTypes: { GZIP: number; Snappy: number };
  CompressionCodecs: Record<number, () => Codec>;
};

/**
 * Encodes bytes in the Snappy format without compression: the length as a varint, then literals of at most 60 bytes.
 */
function snappy(plain: Buffer): Buffer {
  const parts: Buffer[] = [Buffer.from([(plain.length & 0x7f) | 0x80, plain.length >> 7])];
  for (let at = 0; at < plain.length; at += 60) {
    const literal = plain.subarray(at, at + 60);
    parts.push(Buffer.from([(literal.length - 1) << 2]), literal);
  }
  return Buffer.concat(parts);
}

describe('reading records of other producers', () => {
  const brokers = (process.env['TEST_KAFKA_BROKERS'] ?? '').split(',');
  const prefix = `foreign.${randomUUID().slice(0, 8)}.`;
  const foreign = new Kafka({ brokers, clientId: 'foreign', logLevel: 0 });
  const producers: ForeignProducer[] = [];
  let log: Log;
  let made = 0;

  beforeAll(() => {
    const bounds = { heartbeatMs: 200, sessionTimeoutMs: 6_000, metadataRefreshMs: 3_600_000 };
    log = openKafkaLog({ brokers, clientId: 'reader', replicationFactor: 1, bounds });
  });

  afterAll(async () => {
    for (const producer of producers) await producer.disconnect();
    for (const topic of await log.admin.list(prefix)) await log.admin.remove(topic);
    await log.close();
  });

  async function newTopic(config: Record<string, string> = {}): Promise<string> {
    const topic = `${prefix}t${made++}`;
    await log.admin.create(topic, { partitions: 1, config });
    return topic;
  }

  async function foreignProducer(options?: object): Promise<ForeignProducer> {
    const producer = foreign.producer(options);
    await producer.connect();
    producers.push(producer);
    return producer;
  }

  async function sendSnappy(topic: string, values: string[]): Promise<void> {
    const before = CompressionCodecs[CompressionTypes.Snappy]!;
    CompressionCodecs[CompressionTypes.Snappy] = () => ({ compress: async ({ buffer }) => snappy(buffer) });
    try {
      const messages = values.map((value) => ({ value }));
      await (await foreignProducer()).send({ topic, messages, compression: CompressionTypes.Snappy });
    } finally {
      CompressionCodecs[CompressionTypes.Snappy] = before;
    }
  }

  /** Sends one record of 65 MiB as gzip of some kilobytes. */
  async function sendBomb(topic: string): Promise<void> {
    const messages = [{ value: Buffer.alloc(65 * 1024 * 1024) }];
    await (await foreignProducer()).send({ topic, messages, compression: CompressionTypes.GZIP });
  }

  it('skips the marker of a transaction and the records of an aborted one', async () => {
    const topic = await newTopic();
    const producer = await foreignProducer({
      transactionalId: randomUUID(),
      maxInFlightRequests: 1,
      idempotent: true,
    });
    const group = randomUUID();
    const batches: RecordBatch[] = [];
    const reader = new RecordingConsumer(log, group, {
      onBatch: async (batch, consumer) => {
        batches.push(batch);
        await consumer.commit(topic, 0, batch.next);
      },
    });
    await reader.consumer.subscribe([topic]);
    const committed = await producer.transaction();
    await committed.send({ topic, messages: [{ value: 'kept' }] });
    await committed.commit();
    await until(async () => (await log.admin.committed(group, topic)).get(0) === 2, 'past the first marker');
    const aborted = await producer.transaction();
    await aborted.send({ topic, messages: [{ value: 'taken back' }] });
    await aborted.abort();
    const end = async (): Promise<number | undefined> => (await log.admin.offsets(topic))[0]?.end;
    await until(async () => (await end()) === 4, 'both transactions are over');
    await until(async () => (await log.admin.committed(group, topic)).get(0) === 4, 'no lag is left');
    expect(reader.values()).toEqual(['kept']);
    expect(batches.at(-1)).toMatchObject({ records: [], next: 4, highWatermark: 4 });
    await reader.consumer.close();
  });

  it('reads records that are sent compressed to a topic that this log has created', async () => {
    const topic = await newTopic();
    await sendSnappy(topic, ['a', 'b'.repeat(100)]);
    const reader = new RecordingConsumer(log, randomUUID());
    await reader.consumer.subscribe([topic]);
    await until(() => reader.records.length === 2, 'both records');
    expect(reader.values()).toEqual(['a', 'b'.repeat(100)]);
    await reader.consumer.close();
  });

  it('reports records that it cannot decode, and continues', async () => {
    const topic = await newTopic();
    await sendBomb(topic);
    await (await foreignProducer()).send({ topic, messages: [{ value: 'plain' }] });
    const batches: RecordBatch[] = [];
    const reader = new RecordingConsumer(log, randomUUID(), {
      onBatch: async (batch) => batches.push(batch),
    });
    await reader.consumer.subscribe([topic]);
    await until(() => reader.records.length === 1, 'the record that can be read');
    expect(reader.values()).toEqual(['plain']);
    const undecodable = batches.flatMap((batch) => batch.undecodable ?? []);
    expect(undecodable).toEqual([
      { offset: 0, lastOffset: 0, reason: 'inflates to more than 67108864 bytes' },
    ]);
    expect(reader.crashes).toEqual([]);
    await reader.consumer.close();
  });

  it('assigns a partition again, from its beginning, when its topic is recreated', async () => {
    const topic = await newTopic();
    const producer = await foreignProducer();
    const send = (values: string[]): Promise<unknown> =>
      producer.send({ topic, messages: values.map((value) => ({ value })) });
    await send(['a', 'b', 'c']);
    const reader = new RecordingConsumer(log, randomUUID(), {
      onBatch: async ({ next }, consumer) => consumer.commit(topic, 0, next),
    });
    await reader.consumer.subscribe([topic]);
    await until(() => reader.records.length === 3, 'the records of the first topic');
    await log.admin.remove(topic);
    await until(() => reader.revoked.length === 1, 'the partition is revoked');
    await until(async () => (await log.admin.partitions(topic)) === undefined, 'the first topic is removed');
    await log.admin.create(topic, { partitions: 1 });
    await until(() => reader.assignments.length === 2, 'the partition is assigned again');
    expect(reader.assignments[1]).toMatchObject({ position: 0, beginning: 0 });
    await send(['d']);
    await until(() => reader.records.length === 4, 'the record of the second topic');
    expect(reader.values().at(-1)).toBe('d');
    expect(reader.crashes).toEqual([]);
    await reader.consumer.close();
    expect(reader.revoked).toHaveLength(2);
  });
});
