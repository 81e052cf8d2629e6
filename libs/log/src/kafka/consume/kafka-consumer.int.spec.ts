import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Recorder, until } from '../../contract/recorder.js';
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

  it('fetches nothing more while it holds as many bytes as it may', async () => {
    const topic = await newTopic(2);
    const keys = Array.from({ length: 20 }, (_, i) => `k${i}`);
    for (const key of keys) await producer.append([{ topic, key, value: 'x'.repeat(2 * budget) }]);
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const reader = new Recorder(log, randomUUID(), { onBatch: () => held });
    await reader.consumer.subscribe([topic]);
    await until(() => reader.records.length > 0, 'the first batch');
    await sleep(300);
    expect(reader.records).toHaveLength(1);
    release();
    await until(() => reader.records.length === keys.length, 'everything after that');
    await reader.consumer.close();
  });

  it('does not wait for the group when it is closed while it joins again', async () => {
    const topic = await newTopic(2);
    const group = randomUUID();
    const lively = new Recorder(log, group);
    await lively.consumer.subscribe([topic]);
    await until(() => lively.assignments.length === 2, 'both partitions');
    expect(lively.consumer.joined).toBe(true);
    const sleepyLog = open({ heartbeatMs: 3_600_000 });
    const sleepy = new Recorder(sleepyLog, group);
    await sleepy.consumer.subscribe([topic]);
    await until(() => sleepy.assignments.length === 1 && lively.assignments.length === 3, 'one each');
    await lively.consumer.subscribe([topic, await newTopic(1)]);
    await until(() => lively.revoked.length === 3, 'joining again, which waits for the sleepy one');
    expect(lively.consumer.joined).toBe(false);
    const closed = lively.consumer.close().then(() => 'closed');
    expect(await Promise.race([closed, sleep(8_000, 'waiting')])).toBe('closed');
    await sleepyLog.close();
  });
});
