import { Kafka, logLevel } from 'kafkajs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askClickHouse } from './clickhouse-statement.js';
import { PrivateKafkaAndClickHouse } from './private-kafka-and-clickhouse.js';

let engines: PrivateKafkaAndClickHouse;
let kafka: Kafka;

beforeAll(async () => {
  engines = await PrivateKafkaAndClickHouse.start();
  kafka = new Kafka({ clientId: 'test', brokers: [engines.brokers], logLevel: logLevel.NOTHING });
});
afterAll(() => engines.stop());

async function topics(): Promise<string[]> {
  const admin = kafka.admin({ retry: { retries: 2, initialRetryTime: 50 } });
  try {
    await admin.connect();
    return await admin.listTopics();
  } finally {
    await admin.disconnect();
  }
}

async function createTopic(topic: string): Promise<void> {
  const admin = kafka.admin();
  await admin.connect();
  await admin.createTopics({ topics: [{ topic }], waitForLeaders: true });
  await admin.disconnect();
}

const clickhouse = async (sql: string) => {
  const answer = await askClickHouse(engines, sql);
  return (await answer.text()).trim();
};

describe('PrivateKafkaAndClickHouse', () => {
  it('sends every connection to Kafka through the proxy, including those to advertised addresses', async () => {
    await createTopic('before');
    await expect.poll(() => engines.kafkaProxy.connections).toBe(0);
    await engines.kafkaProxy.refuse();
    await expect(topics()).rejects.toThrow();
    await engines.heal();
    expect(await topics()).toContain('before');
  });

  it('restarts Kafka on the same data after a SIGKILL', async () => {
    await engines.killKafka();
    await expect(topics()).rejects.toThrow();
    await engines.startKafka();
    expect(await topics()).toContain('before');
  });

  it('restarts ClickHouse on the same data after a SIGKILL', async () => {
    await clickhouse('CREATE DATABASE d');
    await clickhouse('CREATE TABLE d.t (n UInt8) ENGINE = MergeTree ORDER BY n');
    await clickhouse('INSERT INTO d.t VALUES (7)');
    await engines.killClickHouse();
    await expect(clickhouse('SELECT n FROM d.t')).rejects.toThrow();
    await engines.heal();
    expect(await clickhouse('SELECT n FROM d.t')).toBe('7');
  });
});
