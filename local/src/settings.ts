import { resolve } from 'node:path';
import { AppConfig, loadConfig } from '#contracts';

/** What `npm start` reads from the environment; the rest goes to the apps as it is. */
export interface LocalSettings {
  dataDir: string;
  /** An own Kafka: `host:port`, comma-separated. Then the embedded one is not started. */
  brokers: string | undefined;
  /** An own ClickHouse. Then the embedded one is not started. */
  clickhouseUrl: string | undefined;
  /** The address that the apps listen on. */
  host: string;
  ports: Record<PortName, number>;
}

export type PortName =
  | 'KAFKA_PORT'
  | 'CLICKHOUSE_PORT'
  | 'INGEST_PORT'
  | 'MATERIALIZER_PORT'
  | 'PROCESSOR_PORT'
  | 'GATEWAY_CORE_PORT'
  | 'GATEWAY_QUERY_PORT';

const defaultPorts: Record<PortName, number> = {
  KAFKA_PORT: 9092,
  CLICKHOUSE_PORT: 8123,
  INGEST_PORT: 3901,
  MATERIALIZER_PORT: 3903,
  PROCESSOR_PORT: 3904,
  GATEWAY_CORE_PORT: 3900,
  GATEWAY_QUERY_PORT: 3902,
};

/**
 * What every app would refuse is refused here, before anything is started.
 * @throws a message that names the variable and what it should be.
 */
export function readSettings(env: NodeJS.ProcessEnv, root: string): LocalSettings {
  const config = loadConfig(AppConfig, env);
  const ports = Object.entries(defaultPorts).map(([name, normal]) => [name, readPort(env, name, normal)]);
  return {
    dataDir: resolve(root, env.TRIBUTARY_DATA_DIR || '.tributary'),
    brokers: env.KAFKA_BROKERS ? config.KAFKA_BROKERS.join(',') : undefined,
    clickhouseUrl: env.CLICKHOUSE_URL ? config.CLICKHOUSE_URL : undefined,
    host: config.HOST,
    ports: Object.fromEntries(ports) as Record<PortName, number>,
  };
}

/** Where what listens on the settings' host is reached from this machine, as URLs want it. */
export function reachableHost({ host }: Pick<LocalSettings, 'host'>): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

function readPort(env: NodeJS.ProcessEnv, name: string, normal: number): number {
  const text = env[name];
  if (!text) return normal;
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new Error(`${name} is ${JSON.stringify(text)}, but should be a port: a number from 1 to 65535`);
}
