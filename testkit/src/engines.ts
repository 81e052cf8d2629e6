import { randomBytes } from 'node:crypto';

export interface TestEngines {
  /** `host:port`, comma-separated. */
  kafkaBrokers: string;
  clickhouseUrl: string;
  /** Of the user `default`. */
  clickhousePassword: string;
}

/** The engines that this run's specs share; each spec uses names of its own (`freshNames`) and leaves others' alone. */
export function testEngines(): TestEngines {
  const kafkaBrokers = process.env.TEST_KAFKA_BROKERS;
  const clickhouseUrl = process.env.TEST_CLICKHOUSE_URL;
  const clickhousePassword = process.env.TEST_CLICKHOUSE_PASSWORD ?? '';
  if (kafkaBrokers && clickhouseUrl) return { kafkaBrokers, clickhouseUrl, clickhousePassword };
  throw new Error(
    'TEST_KAFKA_BROKERS and TEST_CLICKHOUSE_URL are not set: only .int. and .e2e. specs get engines from the set-up',
  );
}

/** A topic prefix and a database that nobody else uses. */
export function freshNames(): { topicPrefix: string; database: string } {
  const suffix = randomBytes(5).toString('hex');
  return { topicPrefix: `test-${suffix}.`, database: `test_${suffix}` };
}
