import { untilReachable, type AppContext } from '#http';
import { clickHouseOptions, openClickHouse, storeMayReturn } from '#store';
import type { MaterializerConfig } from './config.js';

/**
 * Makes what the store lacks, as every app does at its start. By itself it is for upgrades: where it fails, nothing of
 * the new version has been started. Waits until ClickHouse is there.
 */
export async function migrate(context: AppContext<MaterializerConfig>): Promise<void> {
  const store = openClickHouse(clickHouseOptions(context.config));
  context.lifecycle.onStop('store', () => store.close());
  await untilReachable(context, { name: 'ClickHouse', mayReturn: storeMayReturn }, () => store.migrate());
  context.logger.info({ database: context.config.CLICKHOUSE_DATABASE }, 'the tables are there');
}
