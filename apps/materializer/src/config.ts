import { IsInt, Max, Min } from 'class-validator';
import { AppConfig, FromText } from '#api';

const mebibyte = 1024 * 1024;

export class MaterializerConfig extends AppConfig {
  /** Health and metrics. 0 takes any free port. */
  @FromText('number') @IsInt() @Min(0) @Max(65_535) MATERIALIZER_PORT = 3903;

  /** How far back a repeated event id is recognised, per partition: both bounds hold. */
  @FromText('number') @IsInt() @Min(1) @Max(10_000_000) DEDUPE_WINDOW_RECORDS = 200_000;
  @FromText('number') @IsInt() @Min(1) @Max(10_080) DEDUPE_WINDOW_MINUTES = 60;

  /** One insert takes at most about this many rows and bytes. */
  @FromText('number') @IsInt() @Min(1) @Max(1_000_000) INSERT_ROWS = 100_000;
  @FromText('number') @IsInt() @Min(1024) INSERT_BYTES = 32 * mebibyte;
  /** Milliseconds between two inserts that are not full; up to five times as long while inserts are slow or there is a backlog. */
  @FromText('number') @IsInt() @Min(0) @Max(60_000) INSERT_INTERVAL_MS = 100;
  /** Bytes of events that may wait for ClickHouse; past that, nothing more is read from Kafka. */
  @FromText('number') @IsInt() @Min(1024) INSERT_QUEUE_BYTES = 64 * mebibyte;
  /** Entities whose last version is kept in memory. */
  @FromText('number') @IsInt() @Min(1) @Max(100_000_000) CACHED_ENTITIES = 200_000;

  /** Between two rounds that remove what is past its retention, and what must not come back. */
  @FromText('number') @IsInt() @Min(1) @Max(1440) JANITOR_MINUTES = 5;

  /** Milliseconds without a heartbeat after which Kafka gives this process's partitions to another. */
  @FromText('number') @IsInt() @Min(6000) @Max(1_800_000) KAFKA_SESSION_TIMEOUT_MS = 30_000;
}
