import { setTimeout as sleep } from 'node:timers/promises';
import { startHttpApp, type ProcessContext } from '#http';
import type { GatewayConfig } from './gateway-config.js';
import { gatewayApp } from './ports.js';
import { StoreTables } from '#gateway-kit';

/** Milliseconds that the start waits for the ClickHouse tables before it continues without them. */
const tablesMs = 5_000;

/** Opens both ports at once, so that probes reach them. The ports serve API requests only after Kafka has answered. */
export async function startGateway(context: ProcessContext<GatewayConfig>): Promise<void> {
  const { nest } = await startHttpApp(gatewayApp(context));
  await context.lifecycle.start();
  const tables = nest.get<StoreTables>(StoreTables, { strict: false });
  await Promise.race([tables.exist, sleep(tablesMs, undefined, { ref: false })]);
}
