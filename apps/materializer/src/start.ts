import { startHttpApp, untilReachable, type ProcessContext } from '#http';
import { clickHouseOptions, isRetryableStoreError, openClickHouse } from '#store';
import type { MaterializerConfig } from './materializer-config.js';
import { MaterializerModule } from './materializer.module.js';

/** Milliseconds for which a migration waits for ClickHouse: the chart's default for the whole Job. */
const patienceMs = 300_000;

/**
 * Starts the materializer. The HTTP port opens first, so that probes see the process start. The start then creates the
 * tables, reads the definitions, and subscribes to the streams.
 */
export async function startMaterializer(context: ProcessContext<MaterializerConfig>): Promise<void> {
  const { HOST: host, MATERIALIZER_PORT: port } = context.config;
  await startHttpApp({
    context,
    module: MaterializerModule.with(context),
    listen: { host, port, variable: 'MATERIALIZER_PORT' },
  });
  await context.lifecycle.start();
}

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
