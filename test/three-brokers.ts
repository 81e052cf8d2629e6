import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { clickHousePasswords, freePort, startClickHouse, type RunningClickHouse } from '#local';
import { KafkaCluster, TestSystem, until } from '#testkit';
import { faultySettings } from './breakable-system.js';
import { replicasBehind } from './topics.js';
import { printLogsOfFailures } from './use-stack.js';

/** A running system with three brokers of its own. */
export interface ThreeBrokers {
  cluster: KafkaCluster;
  stack: TestSystem;
}

/**
 * Provides a system with three brokers of its own for a spec file or a `describe`.
 * @param properties Additional Kafka settings of each broker.
 */
export function useThreeBrokers(properties: Record<string, string | number> = {}): () => ThreeBrokers {
  let folder: string;
  let clickhouse: RunningClickHouse;
  let cluster: KafkaCluster;
  let stack: TestSystem;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tributary-three-'));
    const port = await freePort();
    [cluster, clickhouse] = await Promise.all([
      KafkaCluster.start(properties),
      startClickHouse({ dataDir: folder, port }),
    ]);
    stack = await TestSystem.start({
      brokers: cluster.brokers,
      clickhouseUrl: `http://127.0.0.1:${port}`,
      clickhousePassword: (await clickHousePasswords(folder)).password,
      env: { ...faultySettings, KAFKA_REPLICATION_FACTOR: '3' },
    });
  });
  printLogsOfFailures(() => stack);
  afterAll(async () => {
    await stack?.stop();
    await cluster?.stop();
    await clickhouse?.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });
  return () => ({ cluster, stack });
}

/** Resolves when all replicas are in sync: the next fault would otherwise leave fewer replicas than writes need. */
export function untilInSync(stack: TestSystem): Promise<void> {
  return until(async () => (await replicasBehind(stack).catch(() => Infinity)) === 0, {
    what: 'all replicas in sync',
    intervalMs: 250,
  });
}
