import 'reflect-metadata';
import type { KafkaCompression } from '#kafka';
import { plainToInstance, Transform } from 'class-transformer';
import {
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Matches,
  Max,
  Min,
  MinLength,
  validateSync,
} from 'class-validator';
import {
  AreBrokers,
  AreHeaders,
  AreHostNames,
  AreNetworks,
  FollowsRule,
  IsUrlWithoutCredentials,
  IsFraction,
  RequiresSettings,
  withoutCredentials,
} from './config-rules.js';
import { settingsClassesOf, type SettingsClass } from './compose-settings.js';
import { kafkaCompressions, unsupported } from './kafka-compression.js';

/**
 * Error: settings in the environment are invalid. The message names each invalid variable and says what it must be; the
 * process exits with it.
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Names of the settings whose values are never printed. */
const secrets = new Set<string>();

/** Returns whether the value of this setting must not be printed. */
export function isSecret(name: string): boolean {
  return secrets.has(name);
}

/** Marks a setting as secret: `describeConfig` prints `***` for it. */
export function Secret(): PropertyDecorator {
  return (_target, key) => void secrets.add(String(key));
}

/** Parses the text of a setting; `number` is an integer. An invalid text is kept, so that the validation reports it. */
export function FromText(kind: 'number' | 'decimal' | 'boolean' | 'list'): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) => {
    if (typeof value !== 'string') return value;
    if (kind === 'list')
      return value
        .split(',')
        .map((part) => part.trim())
        .filter(Boolean);
    if (kind === 'boolean') return value === 'true' ? true : value === 'false' ? false : value;
    const number = kind === 'decimal' ? /^\d*\.?\d+$/ : /^-?\d+$/;
    return number.test(value) ? Number(value) : value;
  });
}

/**
 * Loads a configuration class from the environment. Each property is read from the variable of the same name, and the
 * class's initializers are the defaults. An empty variable counts as unset. Each class of a composed configuration
 * parses and validates its own settings, and its rules see the settings of all classes.
 * @throws ConfigError with every invalid variable
 */
export function loadConfig<T extends object>(type: SettingsClass<T>, env: NodeJS.ProcessEnv): T {
  const classes = settingsClassesOf(type);
  const config = Object.assign(new type(), ...classes.map((one) => parsed(one, env))) as T;
  const errors = classes.flatMap((one) =>
    validateSync(Object.assign(new one(), config), { forbidUnknownValues: false }),
  );
  if (errors.length === 0) return config;
  const lines = errors.map(({ property, value, constraints = {} }) => {
    const shown = secrets.has(property) ? '***' : withoutCredentials(JSON.stringify(env[property] || value));
    return `  ${property} is ${shown}, but: ${expectation(constraints)}`;
  });
  throw new ConfigError(`The configuration is wrong:\n${lines.join('\n')}`);
}

function parsed(type: SettingsClass, env: NodeJS.ProcessEnv): object {
  const defaults = new type();
  const given = Object.keys(defaults).flatMap((name) => (env[name] ? [[name, env[name]]] : []));
  return plainToInstance(type, { ...defaults, ...Object.fromEntries(given) });
}

/**
 * Returns one sentence that says what a setting must be. A text that is not a number breaks several rules at once,
 * which would be reported one by one.
 */
function expectation(constraints: Record<string, string>): string {
  const { isInt, isBoolean, min, max } = constraints;
  if (isBoolean) return 'it must be true or false';
  if (!isInt) return Object.values(constraints).join('; ');
  const bound = (text = ''): string | undefined => /-?\d+$/.exec(text)?.[0];
  const [least, most] = [bound(min), bound(max)];
  const range = most ? ` from ${least} to ${most}` : least ? `, at least ${least}` : '';
  return `it must be a whole number${range}`;
}

/** Returns the settings in effect, for the log; the values of secret settings are replaced by `***`. */
export function describeConfig(config: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(config).map(([key, value]) => [
      key,
      secrets.has(key) && !isEmpty(value) ? '***' : (value as unknown),
    ]),
  );
}

/** Whether a setting has no value: an unset secret need not be masked in the log. */
function isEmpty(value: unknown): boolean {
  return value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
}

/**
 * OpenTelemetry's names of samplers, which decide whether a trace is recorded. With `parentbased`, the caller's
 * decision is used if there is one.
 */
export const tracesSamplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** Name of an OpenTelemetry sampler, as a value of `OTEL_TRACES_SAMPLER`. */
export type TracesSamplerName = (typeof tracesSamplers)[number];

/** Settings of every app. */
export class AppConfig {
  /** Address to listen on. Containers use 0.0.0.0. */
  @IsString() @MinLength(1) HOST = '127.0.0.1';
  /** Least severity of the log lines that are written. */
  @IsIn(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']) LOG_LEVEL = 'info';
  /** Seconds that a shutdown may take before connections are closed. */
  @FromText('number') @IsInt() @Min(1) @Max(300) SHUTDOWN_SECONDS = 25;

  /**
   * Proxies whose `X-Forwarded-For` is trusted: addresses or networks in CIDR notation, comma-separated. Without it,
   * clients behind a proxy have the proxy's address.
   */
  @FromText('list') @AreNetworks() TRUST_PROXY: string[] = [];

  /**
   * Host names that are accepted on a port without keys, comma-separated, without ports. IP addresses and localhost are
   * always accepted.
   */
  @FromText('list') @AreHostNames() ALLOWED_HOSTS: string[] = [];

  /** Kafka brokers to connect to first: `host:port`, comma-separated. */
  @FromText('list') @AreBrokers() KAFKA_BROKERS: string[] = ['127.0.0.1:9092'];
  /**
   * Prefix of every topic and consumer group, at most 30 characters. The prefix separates installations on one Kafka
   * cluster.
   */
  @Matches(/^[A-Za-z0-9._-]{0,30}$/) KAFKA_TOPIC_PREFIX = 'tributary.';
  /** Whether connections to Kafka use TLS. */
  @FromText('boolean') @IsBoolean() KAFKA_TLS = false;
  /** Path of a PEM file with the certificate authorities that sign the brokers' certificates. */
  @IsOptional() @IsString() KAFKA_TLS_CA?: string = undefined;
  /** Path of a PEM file with the client certificate; needs `KAFKA_TLS_KEY`. */
  @IsOptional() @IsString() @RequiresSettings('KAFKA_TLS_KEY') KAFKA_TLS_CERT?: string = undefined;
  /** Path of a PEM file with the private key of the client certificate. */
  @IsOptional() @IsString() @RequiresSettings('KAFKA_TLS_CERT') KAFKA_TLS_KEY?: string = undefined;
  /** SASL mechanism; needs `KAFKA_SASL_USERNAME` and `KAFKA_SASL_PASSWORD`. */
  @IsOptional()
  @IsIn(['plain', 'scram-sha-256', 'scram-sha-512'])
  @RequiresSettings('KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD')
  KAFKA_SASL_MECHANISM?: string = undefined;
  /** SASL user name. */
  @IsOptional() @IsString() @RequiresSettings('KAFKA_SASL_MECHANISM') KAFKA_SASL_USERNAME?: string =
    undefined;
  /** SASL password. */
  @Secret() @IsOptional() @IsString() @RequiresSettings('KAFKA_SASL_MECHANISM') KAFKA_SASL_PASSWORD?: string =
    undefined;
  /**
   * Compression of the records in Kafka, for everything that this app writes; every app reads every compression. Batches
   * of less than 1 KiB are not compressed. `zstd` needs Node 22.15 or later, which the image has, and costs the least.
   */
  @IsIn(kafkaCompressions)
  @FollowsRule('isSupportedCompression', (value) => unsupported(value))
  KAFKA_COMPRESSION: KafkaCompression = 'none';
  /** Replication factor of new topics; -1 uses the broker's default. */
  @FromText('number') @IsInt() @Min(-1) @Max(10) KAFKA_REPLICATION_FACTOR = -1;
  /** Number of partitions of a stream that is created without a number. */
  @FromText('number') @IsInt() @Min(1) @Max(256) STREAM_PARTITIONS = 8;

  /** Address of ClickHouse's HTTP interface, `http(s)://host:port`, without user and password. */
  @IsUrlWithoutCredentials('user and password go to CLICKHOUSE_USER and CLICKHOUSE_PASSWORD')
  CLICKHOUSE_URL = 'http://127.0.0.1:8123';
  /** User of ClickHouse. */
  @IsString() CLICKHOUSE_USER = 'default';
  /** Password of that user. */
  @Secret() @IsString() CLICKHOUSE_PASSWORD = '';
  /** Database of the tables. The database is created if it does not exist. */
  @Matches(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/) CLICKHOUSE_DATABASE = 'tributary';
  /**
   * Name of the cluster in ClickHouse's `remote_servers` whose shards have the rows. Without it, the server of `CLICKHOUSE_URL` has all of
   * them. All apps need the same value.
   */
  @IsOptional() @Matches(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/) CLICKHOUSE_CLUSTER?: string = undefined;
  /**
   * Replicates the tables of each shard of `CLICKHOUSE_CLUSTER` among its servers. ClickHouse then needs a Keeper, and the macros `shard`
   * and `replica` on each server. All apps need the same value.
   */
  @FromText('boolean')
  @IsBoolean()
  @FollowsRule('hasCluster', (value, { CLICKHOUSE_CLUSTER }) =>
    value === true && CLICKHOUSE_CLUSTER === undefined ? 'it needs CLICKHOUSE_CLUSTER' : undefined,
  )
  CLICKHOUSE_REPLICATED = false;
  /**
   * Makes ClickHouse sync each insert, merge and removal to its disk. Without it, a ClickHouse whose machine loses power loses
   * the inserts of the last seconds to minutes, which Tributary does not repeat, and undoes erasures. All apps need the same
   * value.
   */
  @FromText('boolean') @IsBoolean() CLICKHOUSE_FSYNC_AFTER_INSERT = true;

  /**
   * URL of an OpenTelemetry collector that receives traces as OTLP over HTTP; `/v1/traces` is appended. Tracing is off
   * if it is not set.
   */
  @IsOptional()
  @IsUrlWithoutCredentials('credentials go to OTEL_EXPORTER_OTLP_HEADERS')
  OTEL_EXPORTER_OTLP_ENDPOINT?: string = undefined;
  /** Headers of the requests to the collector: `name=value`, comma-separated, with values percent-encoded. */
  @Secret() @IsOptional() @AreHeaders() OTEL_EXPORTER_OTLP_HEADERS?: string = undefined;
  /** Encoding of traces. */
  @IsIn(['http/protobuf', 'http/json']) OTEL_EXPORTER_OTLP_PROTOCOL = 'http/protobuf';
  /** Switches tracing off, even if an endpoint is set. */
  @FromText('boolean') @IsBoolean() OTEL_SDK_DISABLED = false;
  /** Name of this app in traces; default: `tributary-` and the app's name. */
  @IsOptional() @Matches(/^[\x21-\x7e]{1,100}$/) OTEL_SERVICE_NAME?: string = undefined;
  /** Sampler, which decides whether a trace is recorded. With `parentbased`, the caller's decision is used if there is one. */
  @IsIn(tracesSamplers) OTEL_TRACES_SAMPLER: TracesSamplerName = 'parentbased_traceidratio';
  /** Share of the traces starting in this app that are recorded, for samplers with a ratio. */
  @FromText('decimal') @IsFraction() OTEL_TRACES_SAMPLER_ARG = 0.01;
}
