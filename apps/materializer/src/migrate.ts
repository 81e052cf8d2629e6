import { untilReachable, type AppContext } from '#http';
import { clickHouseOptions, openClickHouse, isRetryableStoreError } from '#store';
import type { MaterializerConfig } from './config.js';

/**
 * Creates the missing tables and columns in ClickHouse. Waits until ClickHouse is reachable. Every app does this at its
 * start; as a separate command it runs before an upgrade, so that no new process has started if the migration fails.
 */
export async function migrate(context: AppContext<MaterializerConfig>): Promise<void> {
  const store = openClickHouse(clickHouseOptions(context.config));
  context.lifecycle.onStop('store', () => store.close());
  await untilReachable(context, { name: 'ClickHouse', mayReturn: isRetryableStoreError }, () =>
    store.migrate(),
  );
  context.logger.info({ database: context.config.CLICKHOUSE_DATABASE }, 'all tables exist');
}
