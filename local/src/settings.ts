import { resolve } from 'node:path';
import { IsBoolean, IsInt, IsString, Max, Min } from 'class-validator';
import { AppConfig, ConfigError, FromText, isSecret, loadConfig } from '#api';

/** The settings of `npm start`, read from the environment; all other variables are passed on to the apps. */
export interface LocalSettings {
  /** The settings of `npm start`, and those that every app reads. */
  config: LocalConfig;
  /**
   * The environment variables that the user has set, in shell syntax; the value of a secret is replaced by its name.
   */
  given: Record<string, string>;
  dataDir: string;
  /** Addresses of an external Kafka: `host:port`, comma-separated. If set, the embedded one is not started. */
  brokers: string | undefined;
  /** URL of an external ClickHouse. If set, the embedded one is not started. */
  clickhouseUrl: string | undefined;
  /** The address that the apps listen on. */
  host: string;
  ports: Record<PortVariableName, number>;
}

/** Settings of `npm start`. */
export class LocalConfig extends AppConfig {
  /** Folder of data, logs, the API key and the engines' passwords, closed to other users (0700). */
  @IsString() TRIBUTARY_DATA_DIR = '.tributary';
  /** Port of the embedded Kafka. */
  @FromText('number') @IsInt() @Min(1) @Max(65_535) KAFKA_PORT = 9092;
  /** Port of the embedded ClickHouse for HTTP. */
  @FromText('number') @IsInt() @Min(1) @Max(65_535) CLICKHOUSE_PORT = 8123;
  /** Port of the embedded ClickHouse for its native protocol, which `clickhouse-client` uses. */
  @FromText('number') @IsInt() @Min(1) @Max(65_535) CLICKHOUSE_TCP_PORT = 9000;
  /** Port of `ingest`. */
  @FromText('number') @IsInt() @Min(1) @Max(65_535) INGEST_PORT = 3901;
  /** Port of `materializer`. */
  @FromText('number') @IsInt() @Min(1) @Max(65_535) MATERIALIZER_PORT = 3903;
  /** Port of `processor`. */
  @FromText('number') @IsInt() @Min(1) @Max(65_535) PROCESSOR_PORT = 3904;
  /** Port of `gateway` without keys. */
  @FromText('number') @IsInt() @Min(1) @Max(65_535) GATEWAY_CORE_PORT = 3900;
  /** Port of `gateway` with keys. */
  @FromText('number') @IsInt() @Min(1) @Max(65_535) GATEWAY_QUERY_PORT = 3902;
  /** Allows webhooks to this machine (`http://localhost:…`), except to the ports of Tributary, Kafka and ClickHouse. */
  @FromText('boolean') @IsBoolean() LOCAL_WEBHOOKS = false;
}

/** Environment variable with a port of the local system. */
export type PortVariableName = Extract<keyof LocalConfig, `${string}_PORT`>;
export const portNames = Object.keys(new LocalConfig()).filter((name): name is PortVariableName =>
  name.endsWith('_PORT'),
);

/**
 * Reads the settings. Refuses settings that an app would refuse, before any process is started.
 * @throws ConfigError that names each invalid variable and its expected form.
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
    ports: config,
  };
  refuseEqualPorts(settings);
  return settings;
}

/** Returns the ports that this system will listen on. */
export function listeningPorts(settings: LocalSettings): [PortVariableName, number][] {
  const isExternal = (name: string) =>
    (name.startsWith('KAFKA_') && settings.brokers) ||
    (name.startsWith('CLICKHOUSE_') && settings.clickhouseUrl);
  return portNames.filter((name) => !isExternal(name)).map((name) => [name, settings.ports[name]]);
}

function givenAs(name: string, value: string | undefined): [string, string][] {
  if (!value) return [];
  return [[name, isSecret(name) ? `"$${name}"` : shellQuoted(value)]];
}

/** Quotes a text for a shell. */
export function shellQuoted(text: string): string {
  return /^[\w./:,@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function refuseEqualPorts(settings: LocalSettings): void {
  const names = new Map<number, PortVariableName>();
  for (const [name, port] of listeningPorts(settings)) {
    const other = names.get(port);
    const problem = `${other} and ${name} are both ${port}: each needs a port of its own. Set one of them to another.`;
    if (other) throw new ConfigError(problem);
    names.set(port, name);
  }
}

/** Returns the host under which the listeners of this system are reachable from this machine, in URL syntax. */
export function reachableHost({ host }: Pick<LocalSettings, 'host'>): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
