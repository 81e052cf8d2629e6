import { resolve } from 'node:path';
import { IsInt, IsString, Max, Min } from 'class-validator';
import { AppConfig, ConfigError, FromText, isSecret, loadConfig } from '#api';

/** What `npm start` reads from the environment; the rest goes to the apps as it is. */
export interface LocalSettings {
  /** What every app reads too. */
  config: AppConfig;
  /** The variables that are set, as a shell sets them; the name alone of what is secret. */
  given: Record<string, string>;
  dataDir: string;
  /** An own Kafka: `host:port`, comma-separated. Then the embedded one is not started. */
  brokers: string | undefined;
  /** An own ClickHouse. Then the embedded one is not started. */
  clickhouseUrl: string | undefined;
  /** The address that the apps listen on. */
  host: string;
  ports: Record<PortName, number>;
}

/** The variables of the ports that a local system listens on. */
export const portNames = [
  'KAFKA_PORT',
  'CLICKHOUSE_PORT',
  'INGEST_PORT',
  'MATERIALIZER_PORT',
  'PROCESSOR_PORT',
  'GATEWAY_CORE_PORT',
  'GATEWAY_QUERY_PORT',
] as const;

export type PortName = (typeof portNames)[number];

export class LocalConfig extends AppConfig {
  /** Where everything is kept. */
  @IsString() TRIBUTARY_DATA_DIR = '.tributary';
  @FromText('number') @IsInt() @Min(1) @Max(65_535) KAFKA_PORT = 9092;
  @FromText('number') @IsInt() @Min(1) @Max(65_535) CLICKHOUSE_PORT = 8123;
  @FromText('number') @IsInt() @Min(1) @Max(65_535) INGEST_PORT = 3901;
  @FromText('number') @IsInt() @Min(1) @Max(65_535) MATERIALIZER_PORT = 3903;
  @FromText('number') @IsInt() @Min(1) @Max(65_535) PROCESSOR_PORT = 3904;
  @FromText('number') @IsInt() @Min(1) @Max(65_535) GATEWAY_CORE_PORT = 3900;
  @FromText('number') @IsInt() @Min(1) @Max(65_535) GATEWAY_QUERY_PORT = 3902;
}

/**
 * What every app would refuse is refused here, before anything is started.
 * @throws ConfigError that names each wrong variable and what it should be.
 */
export function readSettings(env: NodeJS.ProcessEnv, root: string): LocalSettings {
  const config = loadConfig(LocalConfig, env);
  const settings: LocalSettings = {
    config,
    given: Object.fromEntries(Object.keys(config).flatMap((name) => givenAs(name, env[name]))),
    dataDir: resolve(root, config.TRIBUTARY_DATA_DIR),
    brokers: env.KAFKA_BROKERS ? config.KAFKA_BROKERS.join(',') : undefined,
    clickhouseUrl: env.CLICKHOUSE_URL ? config.CLICKHOUSE_URL : undefined,
    host: config.HOST,
    ports: Object.fromEntries(portNames.map((name) => [name, config[name]])) as Record<PortName, number>,
  };
  refuseEqualPorts(settings);
  return settings;
}

/** The ports that something of ours is to listen on. */
export function neededPorts({ ports, brokers, clickhouseUrl }: LocalSettings): [PortName, number][] {
  return portNames
    .filter((name) => !(name === 'KAFKA_PORT' && brokers) && !(name === 'CLICKHOUSE_PORT' && clickhouseUrl))
    .map((name) => [name, ports[name]]);
}

function givenAs(name: string, value: string | undefined): [string, string][] {
  if (!value) return [];
  return [[name, isSecret(name) ? `"$${name}"` : quoted(value)]];
}

/** As a shell reads it back. */
export function quoted(text: string): string {
  return /^[\w./:,@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function refuseEqualPorts(settings: LocalSettings): void {
  const names = new Map<number, PortName>();
  for (const [name, port] of neededPorts(settings)) {
    const other = names.get(port);
    if (other) {
      throw new ConfigError(
        `${other} and ${name} are both ${port}: each needs a port of its own. Set one of them to another.`,
      );
    }
    names.set(port, name);
  }
}

/** Where what listens on the settings' host is reached from this machine, as URLs want it. */
export function reachableHost({ host }: Pick<LocalSettings, 'host'>): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
