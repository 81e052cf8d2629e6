import { IsBoolean, IsIn, IsInt, IsString, Max, Min } from 'class-validator';
import { AppConfig, AreNetworks, FromText, Secret } from '#api';
import { AreApiKeys } from '#http';
import { compatibilityPolicies, type CompatibilityPolicy } from '#schemas';

/** What the gateway reads from the environment, besides what every app does. */
export class GatewayConfig extends AppConfig {
  /** Services inside the network, no authentication. */
  @FromText('number') @IsInt() @Min(0) @Max(65_535) GATEWAY_CORE_PORT = 3900;
  /** Everyone else, with an API key. */
  @FromText('number') @IsInt() @Min(0) @Max(65_535) GATEWAY_QUERY_PORT = 3902;
  /** `<key_id>:<sha256 hex of the whole key>:<scope>+<scope>…`, comma-separated. Without one, 3902 refuses all. */
  @Secret() @FromText('list') @AreApiKeys() API_KEYS: string[] = [];
  /** Seconds without Kafka after which issued keys are refused: nobody knows whether they were revoked since. */
  @FromText('number') @IsInt() @Min(10) @Max(31_536_000) KEYS_MAX_AGE_SECONDS = 300;
  /** Whether a first event makes its stream. */
  @FromText('boolean') @IsBoolean() AUTO_CREATE_STREAMS = true;
  /** Whether a new version of a schema has to reckon with members that no version has spoken of. */
  @IsIn(compatibilityPolicies) SCHEMA_COMPATIBILITY_POLICY: CompatibilityPolicy = 'lenient';
  /** Records of a partition for which an event id is remembered: as the materializer and the processor have it. */
  @FromText('number') @IsInt() @Min(1) @Max(10_000_000) DEDUPE_WINDOW_RECORDS = 200_000;
  /** Minutes for which an event id is remembered: as the materializer and the processor have it. */
  @FromText('number') @IsInt() @Min(1) @Max(10_080) DEDUPE_WINDOW_MINUTES = 60;
  /** Addresses or networks in CIDR notation that webhooks may go to although they are not public: as the processor has it. */
  @FromText('list') @AreNetworks() WEBHOOK_ALLOWED_NETWORKS: string[] = [];
  /** Queries that ClickHouse works on at once, for this instance. */
  @FromText('number') @IsInt() @Min(1) @Max(1000) READS_CONCURRENT = 8;
  /** Queries that wait for their turn; one more is a 503. */
  @FromText('number') @IsInt() @Min(0) @Max(100_000) READS_QUEUED = 256;
  /** Mebibytes of answers held at once, from being read until their clients have taken them; more is a 503 `overloaded`. */
  @FromText('number') @IsInt() @Min(96) @Max(65_536) GATEWAY_ANSWER_MIB = 192;
  /** Open streams of live events and of changes of projections; one more is a 503. */
  @FromText('number') @IsInt() @Min(0) @Max(10_000) LIVE_STREAMS = 500;
  /** Of these, those that one API key may have open; one more is a 429. The core port, without keys, has no share. */
  @FromText('number') @IsInt() @Min(1) @Max(10_000) LIVE_STREAMS_PER_KEY = 100;
  /** A user of ClickHouse's own for SQL of analysts, with the grants of docs/analysts.md; without it, CLICKHOUSE_USER. */
  @IsString() SQL_CLICKHOUSE_USER = '';
  @Secret() @IsString() SQL_CLICKHOUSE_PASSWORD = '';
  /** Seconds that an SQL statement may take. */
  @FromText('number') @IsInt() @Min(1) @Max(3_600) SQL_SECONDS = 30;
  /** Mebibytes of memory that ClickHouse may use for an SQL statement. */
  @FromText('number') @IsInt() @Min(16) @Max(1_048_576) SQL_MEMORY_MIB = 2_048;
  /** SQL statements that ClickHouse works on at once, for this instance; the next wait. */
  @FromText('number') @IsInt() @Min(1) @Max(1_000) SQL_CONCURRENT = 4;
  /** Exports that this instance works on at once; the next waits. */
  @FromText('number') @IsInt() @Min(1) @Max(100) EXPORT_CONCURRENT = 2;
  /** Of these, those of one API key; one more is a 429. The core port, without keys, has no share. */
  @FromText('number') @IsInt() @Min(1) @Max(100) EXPORT_CONCURRENT_PER_KEY = 1;
  /** Mebibytes of an export as Parquet or Arrow, which is a file in TMPDIR until it is sent; a larger one is refused. */
  @FromText('number') @IsInt() @Min(1) @Max(1_048_576) EXPORT_FILE_MIB = 2_048;
  /** Seconds that ClickHouse may take for an export as Parquet or Arrow. */
  @FromText('number') @IsInt() @Min(1) @Max(86_400) EXPORT_SECONDS = 600;
  /** SQL statements of one API key at once, running or waiting; one more is a 429. */
  @FromText('number') @IsInt() @Min(1) @Max(1_000) SQL_CONCURRENT_PER_KEY = 2;
}
