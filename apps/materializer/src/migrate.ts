import { untilReachable, type ProcessContext } from '#http';
import { clickHouseOptions, openClickHouse, isRetryableStoreError } from '#store';
import type { MaterializerConfig } from './config/materializer-config.js';

/** Milliseconds for which a migration waits for ClickHouse: the chart's default for the whole Job. */
const patienceMs = 300_000;

/**
 * Creates the missing tables and columns in ClickHouse. The migration waits up to five minutes until ClickHouse is
 * reachable, and fails with the reason. Every app runs the migration at its start. An operator can also run the
 * migration as a separate command before an upgrade: if the command fails, no process of the new version has started.
 */
export async function migrate(context: ProcessContext<MaterializerConfig>): Promise<void> {
  const store = openClickHouse(clickHouseOptions(context.config));
  context.lifecycle.onStop('store', () => store.close());
  const clickHouse = { name: 'ClickHouse', mayReturn: isRetryableStoreError, patienceMs };
  await untilReachable(context, clickHouse, () => store.migrate());
  context.logger.info({ database: context.config.CLICKHOUSE_DATABASE }, 'all tables exist');
}
