import { IsBoolean, IsIn, IsInt, IsString, Max, Min } from 'class-validator';
import { AppConfig, AreHostNames, AreNetworks, DiffersFrom, FromText, Secret } from '#api';
import { AreApiKeys } from '#http';
import { compatibilityPolicies, type ComparisonStrictness } from '#json-schema';

/** The gateway's own settings, read from the environment in addition to those of every app. */
export class GatewayConfig extends AppConfig {
  /** Port for services inside the network, without authentication. */
  @FromText('number') @IsInt() @Min(0) @Max(65_535) GATEWAY_CORE_PORT = 3900;
  /** Port for all other clients, with API keys. */
  @FromText('number') @IsInt() @Min(0) @Max(65_535) GATEWAY_QUERY_PORT = 3902;
  /**
   * Comma-separated keys, each `<key_id>:<sha256 hex of the whole key>:<scope>+<scope>…`. When it is empty, the query
   * port accepts only keys that were issued on the core port.
   */
  @Secret() @FromText('list') @AreApiKeys() API_KEYS: string[] = [];
  /** Seconds without Kafka after which issued keys are refused: the gateway cannot verify that they are still valid. */
  @FromText('number') @IsInt() @Min(10) @Max(31_536_000) KEYS_MAX_AGE_SECONDS = 300;
  /** Whether the first event of an unknown stream creates the stream. */
  @FromText('boolean') @IsBoolean() AUTO_CREATE_STREAMS = true;
  /**
   * Senders of CloudEvents whose webhook handshake (`OPTIONS`) is granted: DNS names such as eventgrid.azure.net,
   * comma-separated. Without any, the handshake is off.
   */
  @FromText('list') @AreHostNames() CLOUDEVENTS_ALLOWED_ORIGINS: string[] = [];
  /**
   * How schema checks treat members that a schema does not mention: they may have any value (`strict`), or they do not
   * occur (`lenient`).
   */
  @IsIn(compatibilityPolicies) SCHEMA_COMPATIBILITY_POLICY: ComparisonStrictness = 'lenient';
  /**
   * Records of a partition for which an event id is remembered. The materializer and the processor need the same value.
   */
  @FromText('number') @IsInt() @Min(1) @Max(10_000_000) DEDUPE_WINDOW_RECORDS = 200_000;
  /** Minutes for which an event id is remembered. The materializer and the processor need the same value. */
  @FromText('number') @IsInt() @Min(1) @Max(10_080) DEDUPE_WINDOW_MINUTES = 60;
  /**
   * Minutes within which a repeated event id is recognised even if the limit of DEDUPE_WINDOW_RECORDS is exceeded; at
   * most DEDUPE_WINDOW_MINUTES. 0 switches this off. The value must be the same as in the materializers.
   */
  @FromText('number') @IsInt() @Min(0) @Max(60) DEDUPE_FAR_MINUTES = 10;
  /**
   * Addresses or CIDR networks that webhooks may call although they are not public. The processor needs the same value.
   */
  @FromText('list') @AreNetworks() WEBHOOK_ALLOWED_NETWORKS: string[] = [];
  /** Queries that this instance runs on ClickHouse at the same time. */
  @FromText('number') @IsInt() @Min(1) @Max(1000) READS_CONCURRENT = 8;
  /** Queries that may wait for a slot; the next query gets a 503. */
  @FromText('number') @IsInt() @Min(0) @Max(100_000) READS_QUEUED = 256;
  /**
   * Mebibytes of answers in memory at the same time, from the read until the client has received the answer. A request
   * that would exceed this limit gets a 503 `overloaded`.
   */
  @FromText('number') @IsInt() @Min(96) @Max(65_536) GATEWAY_ANSWER_MIB = 192;
  /** Limit of open streams of live events and of projection changes; the next one gets a 503. */
  @FromText('number') @IsInt() @Min(0) @Max(10_000) LIVE_STREAMS = 500;
  /**
   * Limit of open streams of one API key; the next one gets a 429. Callers on the core port have no key and no such
   * limit.
   */
  @FromText('number') @IsInt() @Min(1) @Max(10_000) LIVE_STREAMS_PER_KEY = 100;
  /** ClickHouse user for the SQL of analysts, with the rights of docs/analysts.md. When it is empty, SQL is off. */
  @IsString() @DiffersFrom('CLICKHOUSE_USER') SQL_CLICKHOUSE_USER = '';
  /** Password of that user. */
  @Secret() @IsString() SQL_CLICKHOUSE_PASSWORD = '';
  /** Time limit of an SQL statement, in seconds. */
  @FromText('number') @IsInt() @Min(1) @Max(3_600) SQL_SECONDS = 30;
  /** Memory limit of an SQL statement in ClickHouse, in mebibytes. */
  @FromText('number') @IsInt() @Min(16) @Max(1_048_576) SQL_MEMORY_MIB = 2_048;
  /** SQL statements that this instance runs on ClickHouse at the same time; further ones wait. */
  @FromText('number') @IsInt() @Min(1) @Max(1_000) SQL_CONCURRENT = 4;
  /** Exports that this instance runs at the same time; further ones wait. */
  @FromText('number') @IsInt() @Min(1) @Max(100) EXPORT_CONCURRENT = 2;
  /**
   * Exports of one API key at the same time; the next one gets a 429. Callers on the core port have no key and no such
   * limit.
   */
  @FromText('number') @IsInt() @Min(1) @Max(100) EXPORT_CONCURRENT_PER_KEY = 1;
  /** Size limit of an export as Parquet or Arrow, in mebibytes. The file is in TMPDIR until it is sent. */
  @FromText('number') @IsInt() @Min(1) @Max(1_048_576) EXPORT_FILE_MIB = 2_048;
  /** Time limit of ClickHouse for an export as Parquet or Arrow, in seconds. */
  @FromText('number') @IsInt() @Min(1) @Max(86_400) EXPORT_SECONDS = 600;
  /** Time limit of an export in any format, in seconds, from its start until its client has received it. */
  @FromText('number') @IsInt() @Min(1) @Max(604_800) EXPORT_SENDING_SECONDS = 21_600;
  /** SQL statements of one API key that run at the same time; up to 50 more wait for at most 10 seconds. */
  @FromText('number') @IsInt() @Min(1) @Max(1_000) SQL_CONCURRENT_PER_KEY = 2;
  /**
   * Whether the console on the core port offers changes. On the query port the scopes of the key decide. The API of the
   * core port accepts changes in any case.
   */
  @FromText('boolean') @IsBoolean() CONSOLE_WRITES = false;
}
