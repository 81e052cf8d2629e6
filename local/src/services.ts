import { join } from 'node:path';
import { apiKeySetting } from './api-key.js';
import { startApp } from './app.js';
import { clickHouseUsers } from '#store';
import { startClickHouse, type ClickHousePasswords } from './clickhouse/start.js';
import { kafkaUser } from './kafka/properties.js';
import { startKafka } from './kafka/start.js';
import { ServiceLog } from './service-log.js';
import { portNames, reachableHost, type LocalSettings } from './settings.js';
import type { RunningProcess } from './engine/engine-process.js';
import type { SupervisedService } from './supervisor.js';

/** API key and passwords of a local system, which are stored in its data folder. */
export interface LocalSecrets {
  apiKey: string;
  /** Passwords of the embedded engines; undefined for an external engine. */
  kafkaPassword?: string | undefined;
  clickHouse?: ClickHousePasswords | undefined;
}

/** Settings, secrets and environment from which `npm start` builds its processes. */
interface ServicesOptions {
  settings: LocalSettings;
  secrets: LocalSecrets;
  /** Shows a line to the user at the terminal. */
  say: (line: string) => void;
  /** The environment that the apps inherit. */
  env: NodeJS.ProcessEnv;
}

/** Name of a process that `npm start` runs. */
export type ServiceName = 'kafka' | 'clickhouse' | 'ingest' | 'materializer' | 'processor' | 'gateway';

interface StartOptions {
  onLog: (line: string) => void;
  onRestart: () => void;
  signal: AbortSignal;
}

/** Returns every process of the local system with its start function. */
export function localServices(options: ServicesOptions): Record<ServiceName, SupervisedService> {
  const { settings, secrets } = options;
  const { ports, dataDir } = settings;
  const service = (name: ServiceName, start: (how: StartOptions) => Promise<RunningProcess>) => {
    const log = new ServiceLog({ folder: join(dataDir, 'logs'), name, show: options.say });
    return {
      name,
      start: (signal: AbortSignal, onRestart: () => void) =>
        start({ onLog: (line) => log.line(line), onRestart, signal }),
      tail: () => log.tail(),
    };
  };
  const app = (name: ServiceName, port: number) => {
    const url = `http://${reachableHost(settings)}:${port}`;
    return service(name, (how) => startApp({ name, url, env: appEnvironment(options), ...how }));
  };
  const database = options.env.CLICKHOUSE_DATABASE || 'tributary';
  return {
    kafka: service('kafka', (how) =>
      startKafka({
        dataDir: join(dataDir, 'kafka'),
        port: ports.KAFKA_PORT,
        password: secrets.kafkaPassword,
        ...how,
      }),
    ),
    clickhouse: service('clickhouse', (how) =>
      startClickHouse({
        dataDir: join(dataDir, 'clickhouse'),
        port: ports.CLICKHOUSE_PORT,
        tcpPort: ports.CLICKHOUSE_TCP_PORT,
        logsQueries: true,
        appDatabases: [database, `${database}_sql`],
        analystDatabases: [database],
        ...how,
      }),
    ),
    ingest: app('ingest', ports.INGEST_PORT),
    materializer: app('materializer', ports.MATERIALIZER_PORT),
    processor: app('processor', ports.PROCESSOR_PORT),
    gateway: app('gateway', ports.GATEWAY_CORE_PORT),
  };
}

/** Returns settings that allow webhooks to receivers on this machine, but not to the processes of the local system. */
function localWebhooks({ settings, env }: ServicesOptions): Record<string, string> {
  if (!settings.config.LOCAL_WEBHOOKS) return {};
  const networks = [env.WEBHOOK_ALLOWED_NETWORKS, '127.0.0.0/8', '::1'].filter(Boolean);
  const brokers = settings.config.KAFKA_BROKERS.map((broker) => broker.replace(/^.*:/, ''));
  const { port, protocol } = new URL(settings.config.CLICKHOUSE_URL);
  const engines = [...brokers, port || (protocol === 'https:' ? '443' : '80')];
  const own = portNames.map((name) => settings.ports[name]);
  const ports = [env.WEBHOOK_FORBIDDEN_PORTS, ...own, ...engines].filter(Boolean);
  return { WEBHOOK_ALLOWED_NETWORKS: networks.join(','), WEBHOOK_FORBIDDEN_PORTS: ports.join(',') };
}

const appPortNames = portNames.filter((name) => !/^(KAFKA|CLICKHOUSE)_/.test(name));

/** Returns the variables of the apps. The credentials for external engines are passed on unchanged. */
function appEnvironment(options: ServicesOptions): Record<string, string> {
  const { settings, secrets, env } = options;
  const { ports } = settings;
  const { kafkaPassword, clickHouse } = secrets;
  return {
    ...(kafkaPassword !== undefined && {
      KAFKA_SASL_MECHANISM: 'plain',
      KAFKA_SASL_USERNAME: kafkaUser,
      KAFKA_SASL_PASSWORD: kafkaPassword,
    }),
    ...(clickHouse && {
      CLICKHOUSE_USER: clickHouseUsers.apps,
      CLICKHOUSE_PASSWORD: clickHouse.password,
      SQL_CLICKHOUSE_USER: clickHouseUsers.analysts,
      SQL_CLICKHOUSE_PASSWORD: clickHouse.analystPassword,
    }),
    ...localWebhooks(options),
    NODE_ENV: env.NODE_ENV ?? 'production',
    KAFKA_BROKERS: settings.brokers ?? `127.0.0.1:${ports.KAFKA_PORT}`,
    CLICKHOUSE_URL: settings.clickhouseUrl ?? `http://127.0.0.1:${ports.CLICKHOUSE_PORT}`,
    ...Object.fromEntries(appPortNames.map((name) => [name, String(ports[name])])),
    // An idle partition also costs the broker memory and time: with four per stream, a thousand streams fit on a
    // laptop.
    STREAM_PARTITIONS: env.STREAM_PARTITIONS || '4',
    // The partitions of a killed materializer are reassigned after this time, and a user waits for that.
    KAFKA_SESSION_TIMEOUT_MS: env.KAFKA_SESSION_TIMEOUT_MS || '10000',
    API_KEYS: [env.API_KEYS, apiKeySetting(secrets.apiKey)].filter(Boolean).join(','),
  };
}
