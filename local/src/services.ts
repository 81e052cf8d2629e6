import { join } from 'node:path';
import { apiKeySetting } from './api-key.js';
import { startApp } from './app.js';
import { startClickHouse } from './clickhouse/start.js';
import { startKafka } from './kafka/start.js';
import { ServiceLog } from './service-log.js';
import { reachableHost, type LocalSettings } from './settings.js';
import type { Running, Service } from './supervisor.js';

export interface ServicesOptions {
  settings: LocalSettings;
  apiKey: string;
  /** What a person at the terminal should see. */
  say: (line: string) => void;
  /** The environment that the apps inherit. */
  env: NodeJS.ProcessEnv;
}

export type ServiceName = 'kafka' | 'clickhouse' | 'ingest' | 'materializer' | 'processor' | 'gateway';

/** Every process of the local system, and how each is started. */
export function localServices(options: ServicesOptions): Record<ServiceName, Service> {
  const { settings } = options;
  const { ports, dataDir } = settings;
  const service = (
    name: ServiceName,
    start: (how: { onLog: (line: string) => void; signal: AbortSignal }) => Promise<Running>,
  ): Service => {
    const log = new ServiceLog({ folder: join(dataDir, 'logs'), name, show: options.say });
    return {
      name,
      start: (signal) => start({ onLog: (line) => log.line(line), signal }),
      tail: () => log.tail(),
    };
  };
  const app = (name: Exclude<ServiceName, 'kafka' | 'clickhouse'>, port: number): Service =>
    service(name, (how) =>
      startApp({
        name,
        url: `http://${reachableHost(settings)}:${port}`,
        env: appEnvironment(options),
        ...how,
      }),
    );
  return {
    kafka: service('kafka', (how) =>
      startKafka({ dataDir: join(dataDir, 'kafka'), port: ports.KAFKA_PORT, ...how }),
    ),
    clickhouse: service('clickhouse', (how) =>
      startClickHouse({ dataDir: join(dataDir, 'clickhouse'), port: ports.CLICKHOUSE_PORT, ...how }),
    ),
    ingest: app('ingest', ports.INGEST_PORT),
    materializer: app('materializer', ports.MATERIALIZER_PORT),
    processor: app('processor', ports.PROCESSOR_PORT),
    gateway: app('gateway', ports.GATEWAY_CORE_PORT),
  };
}

function appEnvironment({ settings, apiKey, env }: ServicesOptions): Record<string, string> {
  const { ports } = settings;
  return {
    NODE_ENV: env.NODE_ENV ?? 'production',
    KAFKA_BROKERS: settings.brokers ?? `127.0.0.1:${ports.KAFKA_PORT}`,
    CLICKHOUSE_URL: settings.clickhouseUrl ?? `http://127.0.0.1:${ports.CLICKHOUSE_PORT}`,
    INGEST_PORT: String(ports.INGEST_PORT),
    MATERIALIZER_PORT: String(ports.MATERIALIZER_PORT),
    PROCESSOR_PORT: String(ports.PROCESSOR_PORT),
    GATEWAY_CORE_PORT: String(ports.GATEWAY_CORE_PORT),
    GATEWAY_QUERY_PORT: String(ports.GATEWAY_QUERY_PORT),
    // A materializer that was killed holds its partitions for so long: a person waits for them here.
    KAFKA_SESSION_TIMEOUT_MS: env.KAFKA_SESSION_TIMEOUT_MS || '10000',
    API_KEYS: [env.API_KEYS, apiKeySetting(apiKey)].filter(Boolean).join(','),
  };
}
