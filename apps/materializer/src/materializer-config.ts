import { IsInt, Max, Min } from 'class-validator';
import { AppConfig, composeSettings, FromText } from '#api';
import { DedupeSettings } from '#dataflow';
import { ConsumerSettings } from '#engine';

const mebibyte = 1024 * 1024;

/** Settings of the materializer. */
export class MaterializerSettings {
  /** Port of the materializer for health checks and metrics. With 0, the operating system picks a free port. */
  @FromText('number') @IsInt() @Min(0) @Max(65_535) MATERIALIZER_PORT = 3903;
  /**
   * Maximum bytes of memory for the event ids that DEDUPE_FAR_MINUTES needs, about 3.4 bytes for each id. If the memory
   * does not suffice, ids are forgotten earlier.
   */
  @FromText('number') @IsInt() @Min(0) DEDUPE_FAR_BYTES = 384 * mebibyte;
  /** Approximate maximum number of rows of one insert into ClickHouse. */
  @FromText('number') @IsInt() @Min(1) @Max(1_000_000) INSERT_ROWS = 100_000;
  /** Approximate maximum number of bytes of one insert into ClickHouse. */
  @FromText('number') @IsInt() @Min(1024) INSERT_BYTES = 32 * mebibyte;
  /**
   * Minimum milliseconds between the starts of two inserts that are not full. The interval is up to seven times as long
   * while inserts are slow or the consumer has lag.
   */
  @FromText('number') @IsInt() @Min(0) @Max(60_000) INSERT_INTERVAL_MS = 100;
  /**
   * Maximum bytes of events in memory that wait for ClickHouse. While this limit is reached, the materializer does not
   * read from Kafka.
   */
  @FromText('number') @IsInt() @Min(1024) INSERT_QUEUE_BYTES = 64 * mebibyte;
  /** Number of entities whose latest version the materializer caches in memory. */
  @FromText('number') @IsInt() @Min(1) @Max(100_000_000) CACHED_ENTITIES = 200_000;
  /**
   * Maximum number of stored events of a partition that are written to Kafka again after Kafka has lost them. If more are
   * lost, the materializer stops: the log is perhaps not the one that belongs to the database.
   */
  @FromText('number') @IsInt() @Min(0) WRITE_BACK_EVENTS = 100_000;
  /**
   * Minutes between two rounds of the store garbage collection, which removes expired events and repeats the removal of
   * erased entities.
   */
  @FromText('number') @IsInt() @Min(1) @Max(1440) JANITOR_MINUTES = 5;
  /**
   * Maximum number of events of the log that a process compares with the store in a second, to repair what the store has
   * lost. 0 switches the scrub off.
   */
  @FromText('number') @IsInt() @Min(0) @Max(1_000_000) SCRUB_EVENTS_PER_SECOND = 2000;
  /** Hours between the starts of two passes of the scrub over a partition, if a pass does not take longer. */
  @FromText('number') @IsInt() @Min(1) @Max(500) SCRUB_HOURS = 24;
}

/** The settings that the materializer reads. */
export const MaterializerConfig = composeSettings(
  AppConfig,
  MaterializerSettings,
  DedupeSettings,
  ConsumerSettings,
);
export type MaterializerConfig = InstanceType<typeof MaterializerConfig>;
