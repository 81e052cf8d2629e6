import { join } from 'node:path';
import type { BenchOptions } from './options.js';

/** Where Kafka and ClickHouse answer. */
export interface Engines {
  brokers: string;
  clickhouseUrl: string;
  /** Of ClickHouse's user `default`. */
  clickhousePassword: string;
  /** Process ids by name of those that are embedded: others may be on other machines. */
  pids: Record<string, number>;
  stop(): Promise<void>;
}

/** Those that were named, else embedded ones of the bench's own, with their data in the folder. */
export async function startEngines(options: BenchOptions, folder: string): Promise<Engines> {
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
