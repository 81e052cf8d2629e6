import { join } from 'node:path';
import type { BenchOptions } from './options.js';

/** Addresses and process ids of the Kafka and the ClickHouse that the benchmark uses. */
export interface BenchEngines {
  brokers: string;
  clickhouseUrl: string;
  /** The password of ClickHouse's user `tributary`. */
  clickhousePassword: string;
  /** Process ids of embedded engines by name: external engines may be on other machines. */
  pids: Record<string, number>;
  stop(): Promise<void>;
}

/** Returns the external engines of the options, or starts embedded ones with their data in the folder. */
export async function startEngines(options: BenchOptions, folder: string): Promise<BenchEngines> {
  const { startKafka, startClickHouse } = await import('#local');
  const kafka = options.brokers ? undefined : await startKafka({ dataDir: join(folder, 'kafka') });
  const clickhouse = options.clickhouse
    ? undefined
    : await startClickHouse({ dataDir: join(folder, 'clickhouse') });
  return {
    brokers: options.brokers ?? kafka!.brokers,
    clickhouseUrl: options.clickhouse ?? clickhouse!.url,
    clickhousePassword: clickhouse?.password ?? process.env.CLICKHOUSE_PASSWORD ?? '',
    pids: { ...(kafka && { kafka: kafka.pid }), ...(clickhouse && { clickhouse: clickhouse.pid }) },
    async stop() {
      await clickhouse?.stop();
      await kafka?.stop();
    },
  };
}
