import { randomBytes } from 'node:crypto';

/** Addresses of the Kafka broker and the ClickHouse server that all specs of a run share. */
interface TestEngineAddresses {
  /** Addresses of the Kafka brokers as `host:port`, comma-separated. */
  kafkaBrokers: string;
  clickhouseUrl: string;
  /** The password of the ClickHouse user `tributary`. */
  clickhousePassword: string;
  /** Name of the cluster of ClickHouse servers, if there is one. */
  clickhouseCluster?: string;
}

/**
 * Returns the engines that all specs of this run share. Each spec uses topics and a database with names of its own
 * (`freshNames`), and does not touch those of other specs.
 */
export function testEngines(): TestEngineAddresses {
  const kafkaBrokers = process.env.TEST_KAFKA_BROKERS;
  const clickhouseUrl = process.env.TEST_CLICKHOUSE_URL;
  const clickhousePassword = process.env.TEST_CLICKHOUSE_PASSWORD ?? '';
  const clickhouseCluster = process.env.TEST_CLICKHOUSE_CLUSTER;
  const cluster = clickhouseCluster !== undefined && { clickhouseCluster };
  if (kafkaBrokers && clickhouseUrl) return { kafkaBrokers, clickhouseUrl, clickhousePassword, ...cluster };
  throw new Error(
    'TEST_KAFKA_BROKERS and TEST_CLICKHOUSE_URL are not set: only .int. and .e2e. specs get engines from the set-up',
  );
}

/** Returns a unique topic prefix and a unique database name. */
export function freshNames(): { topicPrefix: string; database: string } {
  const suffix = randomBytes(5).toString('hex');
  return { topicPrefix: `test-${suffix}.`, database: `test_${suffix}` };
}
