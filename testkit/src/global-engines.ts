import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startClickHouse, startKafka } from '#local';
import { analystDatabases } from './analyst-databases.js';

/**
 * Vitest's global set-up of the projects that need engines. The set-up starts a real Kafka and a real ClickHouse for
 * the whole run, in a folder of their own, on free ports. If TEST_KAFKA_BROKERS or TEST_CLICKHOUSE_URL (with
 * TEST_CLICKHOUSE_PASSWORD) is set, the set-up uses that engine instead, so the second project of a run uses the
 * engines of the first. Vitest forks its workers after the set-up, so the workers inherit the environment.
 */
export default async function startEngines(): Promise<(() => Promise<void>) | undefined> {
  const { TEST_KAFKA_BROKERS, TEST_CLICKHOUSE_URL } = process.env;
  if (TEST_KAFKA_BROKERS && TEST_CLICKHOUSE_URL) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'tributary-test-'));
  const [kafka, clickhouse] = await Promise.all([
    TEST_KAFKA_BROKERS ? undefined : startKafka({ dataDir: join(folder, 'kafka'), shortLived: true }),
    TEST_CLICKHOUSE_URL
      ? undefined
      : startClickHouse({
          dataDir: join(folder, 'clickhouse'),
          onLog: (line) => process.stderr.write(`${new Date().toISOString()} ClickHouse: ${line}\n`),
          // As narrow as on a server, so that every spec proves that these rights are enough.
          appDatabases: ['test_*', 'store_*', 'analysts_*'],
          analystDatabases: analystDatabases(),
        }),
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
