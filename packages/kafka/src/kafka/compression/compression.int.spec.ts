import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canCompressWithZstd, kafkaCompressions, type KafkaCompression } from './codecs.js';
import { RecordingConsumer, until } from '../../contract/recording-consumer.js';
import type { Log, ProducerRecord } from '../../log.js';
import { openKafkaLog } from '../kafka-log.js';

interface KafkajsConsumer {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  subscribe(options: { topics: string[]; fromBeginning: boolean }): Promise<void>;
  run(options: { eachMessage: (message: { message: { value: Buffer } }) => Promise<void> }): Promise<void>;
}

const { Kafka } = createRequire(import.meta.url)('kafkajs') as {
  Kafka: new (config: object) => { consumer(options: { groupId: string }): KafkajsConsumer };
};

const isSupported = (compression: KafkaCompression): boolean => compression !== 'zstd' || canCompressWithZstd;
const compressed = kafkaCompressions.filter((compression) => compression !== 'none');
const values = Array.from(
  { length: 2_000 },
  (_, i) => `{"n":${i},"note":"please leave it with the neighbour"}`,
);

describe('records that are compressed', () => {
  const brokers = (process.env['TEST_KAFKA_BROKERS'] ?? '').split(',');
  const prefix = `compressed.${randomUUID().slice(0, 8)}.`;
  const logs: Log[] = [];
  let log: Log;
  let made = 0;

  const open = (compression: KafkaCompression): Log => {
    const bounds = { heartbeatMs: 200, sessionTimeoutMs: 6_000 };
    const opened = openKafkaLog({ brokers, clientId: 'test', replicationFactor: 1, compression, bounds });
    logs.push(opened);
    return opened;
  };

  beforeAll(() => {
    log = open('none');
  });

  afterAll(async () => {
    for (const topic of await log.admin.list(prefix)) await log.admin.remove(topic);
    for (const opened of logs) await opened.close();
  });

  async function newTopic(config: Record<string, string> = {}): Promise<string> {
    const topic = `${prefix}t${made++}`;
    await log.admin.create(topic, { partitions: 1, config });
    return topic;
  }

  async function write(topic: string, compression: KafkaCompression): Promise<void> {
    const producer = await open(compression).producer();
    const records: ProducerRecord[] = values.map((value) => ({ topic, key: 'k', value, partition: 0 }));
    const positions = await producer.append(records);
    expect(positions.map(({ offset }) => offset)).toEqual(values.map((_, offset) => offset));
  }

  async function read(topic: string): Promise<(string | undefined)[]> {
    const reader = new RecordingConsumer(log, randomUUID());
    await reader.consumer.subscribe([topic]);
    await until(() => reader.records.length >= values.length, `the records of ${topic}`);
    const offsets = reader.records.map(({ offset }) => offset);
    expect(offsets).toEqual(values.map((_, offset) => offset));
    await reader.consumer.close();
    return reader.values();
  }

  /** Reads with unpatched kafkajs, which decompresses gzip alone. */
  async function readWithKafkajs(topic: string): Promise<string[]> {
    const kafkajs = new Kafka({ brokers, clientId: 'foreign', logLevel: 0 });
    const consumer = kafkajs.consumer({ groupId: randomUUID() });
    const found: string[] = [];
    await consumer.connect();
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    await consumer.run({ eachMessage: async ({ message }) => void found.push(String(message.value)) });
    await until(() => found.length >= values.length, `the records of ${topic} in kafkajs`);
    await consumer.disconnect();
    return found;
  }

  const bytesOf = async (topic: string): Promise<number> =>
    (await log.admin.bytesIn([topic])).get(topic) ?? 0;

  it.each(kafkaCompressions.filter(isSupported))(
    'by this producer with %s take less space at the broker, and are read back',
    async (compression) => {
      const topic = await newTopic();
      await write(topic, compression);
      const plain = values.reduce((sum, value) => sum + value.length, 0);
      const ratio = (await bytesOf(topic)) / plain;
      if (compression === 'none') expect(ratio).toBeGreaterThan(1);
      else expect(ratio).toBeLessThan(0.3);
      expect(await read(topic)).toEqual(values);
    },
  );

  it.each(kafkaCompressions.filter(isSupported))(
    'by this producer with %s are readable for Kafka itself, which stores them uncompressed if the topic says so',
    async (compression) => {
      const topic = await newTopic({ 'compression.type': 'uncompressed' });
      await write(topic, compression);
      expect(await readWithKafkajs(topic)).toEqual(values);
    },
  );

  it('by this producer with gzip are readable for kafkajs', async () => {
    const topic = await newTopic();
    await write(topic, 'gzip');
    expect(await readWithKafkajs(topic)).toEqual(values);
  });

  it.each(compressed)('by Kafka itself with %s are read', async (compression) => {
    const topic = await newTopic({ 'compression.type': compression });
    await write(topic, 'none');
    expect(await read(topic)).toEqual(values);
  });
});
