/** What is known of a job: lists with one value for each interval, the oldest first. A value that nobody has measured is null. */
export interface JobSamples {
  processed_per_second: (number | null)[];
  failed: (number | null)[];
  lag_events: (number | null)[];
  lag_seconds: (number | null)[];
}

/** Events that a job has processed, and events that it could not process, in so many seconds. */
export interface JobCounts {
  processed: number;
  failed: number;
  seconds: number;
}

/** The length of an interval, and the number of intervals that are kept. */
export interface RingSize {
  intervalSeconds: number;
  samples: number;
}

/** The values of one interval, with the order in which the ring stores them. */
const fields = { processed: 0, failed: 1, seconds: 2, lag_events: 3, lag_seconds: 4 } as const;
type Field = keyof typeof fields;

/** Number of values of one interval. */
const width = 5;

/**
 * Keeps the samples of the newest intervals in memory, 40 bytes for each: counts are summed, and of the lags of an interval
 * the largest is kept.
 */
export class SampleRing {
  private readonly values: Float64Array;
  /** Number of the newest interval since 1970. */
  private newest = -1;

  constructor(private readonly size: RingSize) {
    this.values = new Float64Array(width * size.samples).fill(NaN);
  }

  /** Adds counts to the interval of the time `now`, in milliseconds since 1970. */
  addCounts(counts: JobCounts, now: number): void {
    const interval = this.intervalAt(now);
    for (const field of ['processed', 'failed', 'seconds'] as const)
      this.update(interval, field, (before) => before + counts[field]);
  }

  /** Adds a lag to the interval of the time `now`, in milliseconds since 1970. */
  addLag(lag: { lag_events: number; lag_seconds: number }, now: number): void {
    const interval = this.intervalAt(now);
    for (const field of ['lag_events', 'lag_seconds'] as const)
      this.update(interval, field, (before) => Math.max(before, lag[field]));
  }

  /** Returns the samples up to the time `now`, in milliseconds since 1970. */
  samples(now: number): JobSamples {
    const { samples } = this.size;
    const first = this.numberOf(now) - samples + 1;
    const valuesOf = (read: (interval: number) => number) =>
      Array.from({ length: samples }, (_, i) => measured(read(first + i)));
    return {
      processed_per_second: valuesOf((i) => rounded(this.read(i, 'processed') / this.read(i, 'seconds'))),
      failed: valuesOf((i) => this.read(i, 'failed')),
      lag_events: valuesOf((i) => this.read(i, 'lag_events')),
      lag_seconds: valuesOf((i) => this.read(i, 'lag_seconds')),
    };
  }

  /** Returns a value of an interval; NaN if it was not measured, or is not kept. */
  private read(interval: number, field: Field): number {
    const isKept = interval <= this.newest && interval > this.newest - this.size.samples;
    return isKept ? this.values[this.indexOf(interval, field)]! : NaN;
  }

  /** Returns the interval of a new measurement. Intervals in between become empty. */
  private intervalAt(now: number): number {
    const interval = this.numberOf(now);
    // A clock that was far ahead has left samples that would take in all later measurements.
    if (interval <= this.newest - this.size.samples) {
      this.values.fill(NaN);
      this.newest = interval;
    }
    const first = Math.max(this.newest + 1, interval - this.size.samples + 1);
    for (let next = first; next <= interval; next++)
      this.values.fill(NaN, this.indexOf(next, 'processed'), this.indexOf(next, 'processed') + width);
    this.newest = Math.max(this.newest, interval);
    return this.newest;
  }

  private update(interval: number, field: Field, next: (before: number) => number): void {
    const index = this.indexOf(interval, field);
    const before = this.values[index]!;
    this.values[index] = next(Number.isNaN(before) ? 0 : before);
  }

  private numberOf(now: number): number {
    return Math.floor(now / (this.size.intervalSeconds * 1000));
  }

  private indexOf(interval: number, field: Field): number {
    return (interval % this.size.samples) * width + fields[field];
  }
}

function measured(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
