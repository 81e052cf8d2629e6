import type { EpochMicros } from '#json';

/**
 * The watermark of a partition before its first event. The watermark before the first event is a safe integer, because
 * watermarks are saved as an Int64 and written as JSON.
 */
export const noWatermark: EpochMicros = Number.MIN_SAFE_INTEGER;

/**
 * The watermark of a partition, and whether the partition is idle. An idle partition does not hold back the watermarks
 * of the stages after it.
 */
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
  /**
   * Milliseconds of the monotonic clock since which the end of the partition's log was reached and no record has
   * arrived.
   */
  #quietSinceMs: number;
  readonly #idleAfterMs: number;

  /**
   * @param options the saved `watermark`, if there is one; the idle time; and the current time, in milliseconds of a
   * monotonic clock
   */
  constructor(options: { idleAfterMs: number; nowMs: number; watermark?: EpochMicros }) {
    this.#value = options.watermark ?? noWatermark;
    this.#quietSinceMs = options.nowMs;
    this.#idleAfterMs = options.idleAfterMs;
  }

  /**
   * The partition's watermark after the events read so far. Checkpoints save it; each event carries the watermark from
   * before the event was read.
   */
  get value(): EpochMicros {
    return this.#value;
  }

  /**
   * Advances the watermark. The caller passes each readable event that is not a duplicate, even if the pipeline does
   * not match it.
   */
  read(timestamp: EpochMicros, ingestedAt: EpochMicros, nowMs: number): void {
    const time = timestamp < ingestedAt ? timestamp : ingestedAt;
    if (time > this.#value) this.#value = time;
    this.#quietSinceMs = nowMs;
  }

  /**
   * Returns the watermark, and whether the partition is idle, to be written to the repartition topics of the stages
   * that the partition feeds.
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
