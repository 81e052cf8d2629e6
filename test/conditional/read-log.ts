import { randomUUID } from 'node:crypto';
import { Kafka, logLevel, type KafkaMessage } from 'kafkajs';
import { openKafkaLog, type ConsumerRecord } from '#kafka';
import type { TopicEventRecord } from '#testkit';

/** A Kafka record with its partition and offset. */
interface PlacedRecord {
  partition: number;
  offset: number;
  message: KafkaMessage;
}

/** Reads a topic from its beginning to its present end, without the code of `#kafka`. @throws after a minute */
export async function readWholeTopic(brokers: string, topic: string): Promise<PlacedRecord[]> {
  const kafka = new Kafka({ clientId: 'test', brokers: brokers.split(','), logLevel: logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  const offsets = await admin.fetchTopicOffsets(topic).finally(() => admin.disconnect());
  const missing = new Set(offsets.filter(({ low, high }) => low !== high).map(({ partition }) => partition));
  const ends = new Map(offsets.map(({ partition, high }) => [partition, Number(high)]));
  const records: PlacedRecord[] = [];
  if (missing.size === 0) return records;
  const consumer = kafka.consumer({ groupId: `test-reader-${randomUUID()}`, maxWaitTimeInMs: 100 });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  try {
    await new Promise<void>((resolve, reject) => {
      const fail = () => reject(new Error(`${topic} was read up to ${records.length} records only`));
      setTimeout(fail, 60_000).unref();
      const eachMessage = async ({ partition, message }: { partition: number; message: KafkaMessage }) => {
        const offset = Number(message.offset);
        if (offset < ends.get(partition)!) records.push({ partition, offset, message });
        if (offset >= ends.get(partition)! - 1) missing.delete(partition);
        if (missing.size === 0) resolve();
      };
      consumer.run({ eachMessage }).catch(reject);
    });
  } finally {
    await consumer.disconnect();
  }
  return records;
}

/** Reads the events of a stream's topic with their expectations. */
export async function readLoggedEvents(brokers: string, topic: string): Promise<TopicEventRecord[]> {
  const records = await readWholeTopic(brokers, topic);
  return records.map(({ partition, offset, message }) => {
    const value = JSON.parse(String(message.value)) as { event_id: string; entity_id: string | null };
    const header = message.headers?.['expected-version'];
    const expected = header === undefined ? null : Number(String(header));
    const [index, size] = String(message.headers?.['atomic-group'] ?? '').split('/');
    const group = size === undefined ? undefined : { index: Number(index), size: Number(size) };
    return { partition, offset, event_id: value.event_id, entity_id: value.entity_id, expected, group };
  });
}

/**
 * Reads a compacted topic with one partition, with the reader of `#kafka`. A consumer of kafkajs never gets past a segment
 * in which compaction has left only an empty batch (https://github.com/tulios/kafkajs/issues/1072).
 */
export async function readCompactedTopic(brokers: string, topic: string): Promise<ConsumerRecord[]> {
  const log = openKafkaLog({ brokers: brokers.split(','), clientId: 'test', replicationFactor: 1 });
  const records: ConsumerRecord[] = [];
  const reader = log.tableReader(topic, { record: (record) => void records.push(record) });
  try {
    await reader.start();
  } finally {
    await reader.close();
    await log.close();
  }
  return records;
}
