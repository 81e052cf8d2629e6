import { LOG } from '#app';
import { startHttpApp, type HttpAppOptions, type ProcessContext } from '#http';
import type { Log } from '#kafka';
import type { IngestConfig } from './ingest-config.js';
import { IngestModule } from './ingest.module.js';
import { portKeys } from './port-keys.js';

/** Opens the write port immediately, so that probes can reach it. The port serves requests when Kafka has answered. */
export async function startIngest(context: ProcessContext<IngestConfig>): Promise<void> {
  const { nest } = await startHttpApp(ingestApp(context));
  const log = nest.get<Log>(LOG);
  context.health.register('log', () => log.admin.ping());
  await context.lifecycle.start();
}

/** Returns the Nest application of ingest: its module and its port. */
export function ingestApp(context: ProcessContext<IngestConfig>): HttpAppOptions {
  const { config } = context;
  return {
    ...portKeys(config),
    context,
    elsewhere: readsElsewhere,
    module: IngestModule.with(context),
    listen: { host: config.HOST, port: config.INGEST_PORT, variable: 'INGEST_PORT' },
    bodyBytes: config.INGEST_BODY_MIB * 1024 * 1024,
  };
}

/** Returns the sentence in the answer for an address that ingest does not have. */
function readsElsewhere(): string {
  return (
    'This port only accepts writes. Reads are on the ports of the gateway (3900 by default, and 3902 with an API ' +
    'key); its core port (3900) lists the addresses of the API at /docs.'
  );
}
