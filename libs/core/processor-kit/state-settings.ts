import { IsInt, Max, Min } from 'class-validator';
import { FromText } from '#api';

/** Settings of the states of projections and pipelines. */
export class StateSettings {
  /**
   * Maximum number of entries of the state cache: one such cache has the keys of all projections, another one the
   * windows and keys of all pipelines.
   */
  @FromText('number') @IsInt() @Min(1) @Max(100_000_000) STATE_CACHED_KEYS = 50_000;
  /** Approximate maximum bytes of the state cache, once for projections and once for pipelines. */
  @FromText('number') @IsInt() @Min(1024) STATE_CACHED_BYTES = 128 * 1024 ** 2;
  /**
   * Milliseconds between the starts of two checkpoints, which save the changed states. A checkpoint starts earlier if a
   * reader waits or many changes are unsaved.
   */
  @FromText('number') @IsInt() @Min(0) @Max(60_000) STATE_SAVE_INTERVAL_MS = 500;
  /**
   * Maximum number of changed states that wait to be saved, once for projections and once for pipelines. While this
   * limit is reached, the processor does not read from Kafka.
   */
  @FromText('number') @IsInt() @Min(1) @Max(1_000_000) STATE_SAVE_KEYS = 10_000;
  /** Approximate maximum bytes of changed states that wait to be saved, once for projections and once for pipelines. */
  @FromText('number') @IsInt() @Min(1024) STATE_SAVE_BYTES = 16 * 1024 ** 2;
}
