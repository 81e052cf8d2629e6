import type { Micros } from '#event';

/** The watermark where there has been no event: a number, as it is saved as an Int64 and written in JSON. */
export const noWatermark: Micros = Number.MIN_SAFE_INTEGER;

/** How far event time is in a partition, and whether that holds anybody back. */
export interface TimeProgress {
  readonly watermark: Micros;
  readonly idle: boolean;
}

/**
 * Event time in one partition of a source. Its watermark is the latest time of its events, where an event counts with the
 * time of its ingestion if it is dated after that: what says 2099 closes no windows. It is a function of the log, so that
 * reading a year of history again gives what was given when it was live.
 *
 * A partition that has been at the end of its log for `idleAfterMs` without a record is idle: windows do not wait for it, and
 * its watermark goes on at the pace of the clock, so that the last window closes too. A partition is not idle while there are
 * records that have not been read, however long that takes (Flink had to correct that: FLIP-471).
 */
export class SourceWatermark {
  #value: Micros;
  /** Since when nothing is left to be read, and nothing has come. */
  #quietSinceMs: number;
  readonly #idleAfterMs: number;

  /** @param watermark as it was saved */
  constructor(options: { idleAfterMs: number; nowMs: number; watermark?: Micros }) {
    this.#value = options.watermark ?? noWatermark;
    this.#quietSinceMs = options.nowMs;
    this.#idleAfterMs = options.idleAfterMs;
  }

  /** Of the events so far: what is saved, and what an event carries before it is read itself. */
  get value(): Micros {
    return this.#value;
  }

  /** For each readable event that is no repetition, also those that the pipeline does not take. */
  read(timestamp: Micros, ingestedAt: Micros, nowMs: number): void {
    const time = timestamp < ingestedAt ? timestamp : ingestedAt;
    if (time > this.#value) this.#value = time;
    this.#quietSinceMs = nowMs;
  }

  /**
   * What is told to the stages that it feeds.
   * @param atEnd whether the log's end has been reached
   */
  progress({ nowMs, atEnd }: { nowMs: number; atEnd: boolean }): TimeProgress {
    if (!atEnd || nowMs < this.#quietSinceMs) this.#quietSinceMs = nowMs;
    const quietMs = nowMs - this.#quietSinceMs;
    if (quietMs < this.#idleAfterMs) return { watermark: this.#value, idle: false };
    if (this.#value === noWatermark) return { watermark: noWatermark, idle: true };
    return { watermark: this.#value + Math.floor(quietMs * 1000), idle: true };
  }
}
