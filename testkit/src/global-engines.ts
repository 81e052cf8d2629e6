import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startClickHouse, startKafka, type RunningClickHouse } from '#local';
import { analystDatabases } from './analyst-databases.js';
import { ClickHouseCluster } from './clickhouse-cluster.js';

/**
 * Vitest's global set-up of the projects that need engines. The set-up starts a real Kafka and a real ClickHouse for
 * the whole run, in a folder of their own, on free ports. If TEST_KAFKA_BROKERS or TEST_CLICKHOUSE_URL (with
 * TEST_CLICKHOUSE_PASSWORD) is set, the set-up uses that engine instead, so the second project of a run uses the
 * engines of the first. TEST_SHARDS starts a cluster of as many ClickHouse servers. Vitest forks its workers after the set-up, so
 * the workers inherit the environment.
 */
export default async function startEngines(): Promise<(() => Promise<void>) | undefined> {
  const { TEST_KAFKA_BROKERS, TEST_CLICKHOUSE_URL } = process.env;
  if (TEST_KAFKA_BROKERS && TEST_CLICKHOUSE_URL) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'tributary-test-'));
  const [kafka, clickhouse] = await Promise.all([
    TEST_KAFKA_BROKERS ? undefined : startKafka({ dataDir: join(folder, 'kafka'), shortLived: true }),
    TEST_CLICKHOUSE_URL ? undefined : startStore(join(folder, 'clickhouse')),
  ]);
  if (kafka) process.env.TEST_KAFKA_BROKERS = kafka.brokers;
  if (clickhouse) {
    process.env.TEST_CLICKHOUSE_URL = clickhouse.url;
    process.env.TEST_CLICKHOUSE_PASSWORD = clickhouse.password;
    process.env.TEST_CLICKHOUSE_ANALYST_PASSWORD = clickhouse.analystPassword;
  }
  return async () => {
    await Promise.allSettled([clickhouse?.stop(), kafka?.stop()]);
    await rm(folder, { recursive: true, force: true });
  };
}

/** Starts one ClickHouse server, or a cluster of TEST_SHARDS servers. */
async function startStore(dataDir: string): Promise<ClickHouseCluster | RunningClickHouse> {
  const options = {
    onLog: (line: string) => void process.stderr.write(`${new Date().toISOString()} ClickHouse: ${line}\n`),
    // As narrow as on a server, so that every spec proves that these rights are enough.
    appDatabases: ['test_*', 'store_*', 'analysts_*'],
    analystDatabases: analystDatabases(),
  };
  const { TEST_SHARDS } = process.env;
  if (TEST_SHARDS === undefined) return startClickHouse({ ...options, dataDir });
  const cluster = await ClickHouseCluster.start(Number(TEST_SHARDS), options);
  process.env.TEST_CLICKHOUSE_CLUSTER = cluster.name;
  return cluster;
}
