import { IsInt, Max, Min } from 'class-validator';
import { AppConfig, FromText } from '#api';

const mebibyte = 1024 * 1024;

export class MaterializerConfig extends AppConfig {
  /** Port for health checks and metrics. With 0, the system picks a free port. */
  @FromText('number') @IsInt() @Min(0) @Max(65_535) MATERIALIZER_PORT = 3903;

  /** Records of a partition for which an event id is remembered. A repeat is recognised within this bound and the next. */
  @FromText('number') @IsInt() @Min(1) @Max(10_000_000) DEDUPE_WINDOW_RECORDS = 200_000;
  /** Minutes for which an event id is remembered. */
  @FromText('number') @IsInt() @Min(1) @Max(10_080) DEDUPE_WINDOW_MINUTES = 60;

  /** Approximate upper bound of one insert, in rows. */
  @FromText('number') @IsInt() @Min(1) @Max(1_000_000) INSERT_ROWS = 100_000;
  /** Approximate upper bound of one insert, in bytes. */
  @FromText('number') @IsInt() @Min(1024) INSERT_BYTES = 32 * mebibyte;
  /**
   * Milliseconds between two inserts that are not full. The interval is up to seven times as long while inserts are slow
   * or the consumer has a backlog.
   */
  @FromText('number') @IsInt() @Min(0) @Max(60_000) INSERT_INTERVAL_MS = 100;
  /** Bytes of events that may wait for ClickHouse. Beyond this bound, the materializer stops reading from Kafka. */
  @FromText('number') @IsInt() @Min(1024) INSERT_QUEUE_BYTES = 64 * mebibyte;
  /** Number of entities whose latest version is cached in memory. */
  @FromText('number') @IsInt() @Min(1) @Max(100_000_000) CACHED_ENTITIES = 200_000;

  /**
   * Minutes between two rounds of the store garbage collection, which removes expired events and repeats the removal of
   * erased entities.
   */
  @FromText('number') @IsInt() @Min(1) @Max(1440) JANITOR_MINUTES = 5;

  /** Milliseconds without a heartbeat after which Kafka assigns this process's partitions to another process. */
  @FromText('number') @IsInt() @Min(6000) @Max(1_800_000) KAFKA_SESSION_TIMEOUT_MS = 30_000;
}
