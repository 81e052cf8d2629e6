import type { EpochMicros } from '#json';

/**
 * The watermark of a partition before its first event: a safe integer, because it is saved as an Int64 and as JSON.
 */
export const noWatermark: EpochMicros = Number.MIN_SAFE_INTEGER;

/** The watermark of a partition. An idle partition does not hold back the stages after it. */
export interface PartitionWatermark {
  readonly watermark: EpochMicros;
  readonly idle: boolean;
}

/**
 * The watermark of one source partition: the maximum time of its events. An event that is dated after its ingestion
 * counts with its ingestion time, so that a date such as 2099 closes no windows. The watermark of a source partition is
 * a function of the log: reading a year of history again gives the same watermarks as reading it live.
 *
 * A partition is idle if it has been at the end of its log for `idleAfterMs` without a record. Windows do not wait for
 * an idle partition, and its watermark advances with the clock, so that the last window closes too. A partition with
 * unread records is never idle, however long reading them takes (Flink corrected this in FLIP-471).
 */
export class PartitionWatermarkGenerator {
  #value: EpochMicros;
  /** Milliseconds of the monotonic clock since which the log's end was reached and no record has arrived. */
  #quietSinceMs: number;
  readonly #idleAfterMs: number;

  /** @param options with the saved `watermark`, if any, and the time in milliseconds of a monotonic clock */
  constructor(options: { idleAfterMs: number; nowMs: number; watermark?: EpochMicros }) {
    this.#value = options.watermark ?? noWatermark;
    this.#quietSinceMs = options.nowMs;
    this.#idleAfterMs = options.idleAfterMs;
  }

  /** The watermark after the events read so far; an event carries the one from before it was read. */
  get value(): EpochMicros {
    return this.#value;
  }

  /** Advances the watermark by an event that is not a duplicate, even if the pipeline does not match it. */
  read(timestamp: EpochMicros, ingestedAt: EpochMicros, nowMs: number): void {
    const time = timestamp < ingestedAt ? timestamp : ingestedAt;
    if (time > this.#value) this.#value = time;
    this.#quietSinceMs = nowMs;
  }

  /**
   * Returns what to write to the repartition topics.
   * @param atEnd whether all records of the partition have been read
   */
  progress({ nowMs, atEnd }: { nowMs: number; atEnd: boolean }): PartitionWatermark {
    if (!atEnd || nowMs < this.#quietSinceMs) this.#quietSinceMs = nowMs;
    const quietMs = nowMs - this.#quietSinceMs;
    if (quietMs < this.#idleAfterMs) return { watermark: this.#value, idle: false };
    if (this.#value === noWatermark) return { watermark: noWatermark, idle: true };
    return { watermark: this.#value + Math.floor(quietMs * 1000), idle: true };
  }
}
