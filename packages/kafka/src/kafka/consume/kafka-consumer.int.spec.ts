import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RecordingConsumer, until } from '../../contract/recording-consumer.js';
import type { Log, Producer } from '../../log.js';
import { openKafkaLog } from '../kafka-log.js';

const brokers = (process.env['TEST_KAFKA_BROKERS'] ?? '').split(',');
const bounds = { heartbeatMs: 200, sessionTimeoutMs: 20_000, rebalanceTimeoutMs: 60_000 };
const budget = 10_000;

describe('a consumer on Kafka', () => {
  const prefix = `consumer.${randomUUID().slice(0, 8)}.`;
  let log: Log;
  let producer: Producer;
  let made = 0;

  const open = (own: { heartbeatMs?: number } = {}): Log =>
    openKafkaLog({
      brokers,
      clientId: 'consumer',
      replicationFactor: 1,
      bounds: { ...bounds, consumeBytes: budget, ...own },
    });

  beforeAll(async () => {
    log = open();
    producer = await log.producer();
  });

  afterAll(async () => {
    for (const topic of await log.admin.list(prefix)) await log.admin.remove(topic);
    await log.close();
  });

  async function newTopic(partitions: number): Promise<string> {
    const topic = `${prefix}t${made++}`;
    await log.admin.create(topic, { partitions });
    return topic;
  }

  it('fetches no more records while it holds as many bytes as its limit', async () => {
    const topic = await newTopic(2);
    const keys = Array.from({ length: 20 }, (_, i) => `k${i}`);
    for (const key of keys) await producer.append([{ topic, key, value: 'x'.repeat(2 * budget) }]);
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const reader = new RecordingConsumer(log, randomUUID(), { onBatch: () => held });
    await reader.consumer.subscribe([topic]);
    await until(() => reader.records.length > 0, 'the first batch');
    await sleep(300);
    expect(reader.records).toHaveLength(1);
    release();
    await until(() => reader.records.length === keys.length, 'all other records');
    await reader.consumer.close();
  });

  it('does not wait for the group when it is closed during a rejoin', async () => {
    const topic = await newTopic(2);
    const group = randomUUID();
    const lively = new RecordingConsumer(log, group);
    await lively.consumer.subscribe([topic]);
    await until(() => lively.assignments.length === 2, 'both partitions');
    expect(lively.consumer.joined).toBe(true);
    const sleepyLog = open({ heartbeatMs: 3_600_000 });
    const sleepy = new RecordingConsumer(sleepyLog, group);
    await sleepy.consumer.subscribe([await newTopic(1)]);
    await until(() => sleepy.assignments.length === 1, 'a partition for the sleepy one');
    await lively.consumer.subscribe([topic, await newTopic(1)]);
    await until(() => !lively.consumer.joined, 'a rejoin, which waits for the sleepy one');
    await producer.append([{ topic, key: 'k', value: 'meanwhile' }]);
    await until(() => lively.records.length === 1, 'the record that is written meanwhile');
    expect(lively.consumer.joined).toBe(false);
    expect(await lively.consumer.commit(topic, lively.records[0]!.partition, 1)).toBe(true);
    expect(lively.revoked).toEqual([]);
    const closed = lively.consumer.close().then(() => 'closed');
    expect(await Promise.race([closed, sleep(8_000, 'waiting')])).toBe('closed');
    await sleepyLog.close();
  });

  it('keeps reading every topic while more topics are subscribed', async () => {
    const topics: string[] = [];
    const many = 40;
    for (let i = 0; i < many; i++) topics.push(await newTopic(2));
    const reader = new RecordingConsumer(log, randomUUID(), {
      onBatch: ({ topic, partition, next }, consumer) => consumer.commit(topic, partition, next),
    });
    const seenBy = (topic: string): number => reader.records.filter((one) => one.topic === topic).length;
    await reader.consumer.subscribe(topics.slice(0, many - 5));
    await until(() => reader.assignments.length === 2 * (many - 5), 'the first topics');
    for (let known = many - 4; known <= many; known++) {
      await reader.consumer.subscribe(topics.slice(0, known));
      for (const topic of topics.slice(0, many - 5)) {
        const before = seenBy(topic);
        await producer.append([{ topic, key: 'k', value: `with ${known}` }]);
        await until(() => seenBy(topic) === before + 1, 'a record of a topic that was subscribed before');
      }
    }
    await until(() => reader.assignments.length === 2 * many, 'the added topics');
    expect(reader.revoked).toEqual([]);
    expect(new Set(reader.assignments.map((one) => `${one.topic}/${one.partition}`)).size).toBe(2 * many);
    expect(reader.records).toHaveLength(5 * (many - 5));
    await reader.consumer.close();
  });

  it('replaces the member that a killed process of the same instance has left behind', async () => {
    const topic = await newTopic(2);
    const group = randomUUID();
    const named = (): Log =>
      openKafkaLog({ brokers, clientId: 'consumer', instance: 'one', replicationFactor: 1, bounds });
    const killed = named();
    const dead = new RecordingConsumer(killed, group);
    await dead.consumer.subscribe([topic]);
    await until(() => dead.assignments.length === 2, 'both partitions');
    const [others, again] = [open(), named()];
    const other = new RecordingConsumer(others, group);
    const next = new RecordingConsumer(again, group);
    await other.consumer.subscribe([topic]);
    await until(() => other.assignments.length === 1 && dead.revoked.length === 1, 'one each');
    // Closing the consumer without `leave` simulates a kill: the member does not leave the group, and its session is
    // far from timed out.
    Object.assign(Reflect.get(dead.consumer, 'membership') as object, { leave: () => Promise.resolve() });
    await dead.consumer.close();
    await next.consumer.subscribe([topic]);
    await until(() => next.assignments.length === 1, 'its partition', 10_000);
    // The other member has two partitions in between if the group notices the removal before the new member joins.
    await until(() => other.assignments.length - other.revoked.length === 1, 'the other to keep one');
    await Promise.all([others.close(), again.close(), killed.close()]);
  });
});
