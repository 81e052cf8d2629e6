import { GatewayConfig } from '../apps/gateway/src/config/gateway-config.js';
import { IngestConfig } from '../apps/ingest/src/config/ingest-config.js';
import { MaterializerConfig } from '../apps/materializer/src/config/materializer-config.js';
import { ProcessorConfig } from '../apps/processor/src/config/processor-config.js';
import { canCompressWithZstd, type AppConfig } from '#api';

export const appNames = ['gateway', 'ingest', 'materializer', 'processor'] as const;
/** Name of an app of Tributary that is deployed. */
export type AppName = (typeof appNames)[number];

const classes: Record<AppName, new () => AppConfig> = {
  gateway: GatewayConfig,
  ingest: IngestConfig,
  materializer: MaterializerConfig,
  processor: ProcessorConfig,
};

/** Returns the configuration class of an app, with the settings that compose and the chart may set and their defaults. */
export function configOf(app: AppName): new () => AppConfig {
  return classes[app];
}

/** Returns the names of an app's settings. */
export function settingsOf(app: AppName): string[] {
  return Object.keys(new classes[app]());
}

/** Returns the default ports of an app, in the order of its settings. */
export function portsOf(app: AppName): number[] {
  const defaults = Object.entries(new classes[app]()) as [string, unknown][];
  return defaults.filter(([name]) => name.endsWith('_PORT')).map(([, port]) => Number(port));
}

/** Returns the port that serves health checks without a key; of the gateway, the core port. */
export function probePortOf(app: AppName): number {
  return portsOf(app)[0] ?? 0;
}

/**
 * Returns the settings of a container, as far as this Node can check them: without `KAFKA_COMPRESSION=zstd` on a Node
 * older than the one in the image, which compresses with Zstandard.
 */
export function asOnThisNode(settings: Record<string, unknown>): NodeJS.ProcessEnv {
  const kept = Object.entries(settings).filter(
    ([name, value]) => canCompressWithZstd || name !== 'KAFKA_COMPRESSION' || value !== 'zstd',
  );
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
}
