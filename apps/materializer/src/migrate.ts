import { untilReachable, type ProcessContext } from '#http';
import { clickHouseOptions, openClickHouse, isRetryableStoreError } from '#store';
import type { MaterializerConfig } from './config.js';

/**
 * Creates the missing tables and columns in ClickHouse. The migration waits until ClickHouse is reachable. Every app
 * runs the migration at its start. An operator can also run the migration as a separate command before an upgrade: if
 * the command fails, no process of the new version has started.
 */
export async function migrate(context: ProcessContext<MaterializerConfig>): Promise<void> {
  const store = openClickHouse(clickHouseOptions(context.config));
  context.lifecycle.onStop('store', () => store.close());
  await untilReachable(context, { name: 'ClickHouse', mayReturn: isRetryableStoreError }, () =>
    store.migrate(),
  );
  context.logger.info({ database: context.config.CLICKHOUSE_DATABASE }, 'all tables exist');
}
