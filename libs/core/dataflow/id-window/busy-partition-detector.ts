/** How many records in how much time make a partition busy. */
export interface BusyPartitionThreshold {
  /** The id window's limit of records. */
  records: number;
  /** Milliseconds of log time; see `farReach`. 0 means that no partition is busy. */
  milliseconds: number;
}

/** All records below `offset` have at most this log time. */
interface Sample {
  readonly offset: number;
  readonly logTime: number;
}

const mostSamples = 64;

/**
 * Decides whether a partition is busy at a record: the record just outside the id window is at most `milliseconds` of
 * log time older. Only there, a record can be a far duplicate. It errs to one side: a busy partition is never taken for
 * one that is not.
 */
export class BusyPartitionDetector {
  private samples: Sample[] = [];
  private logTime = -Infinity;
  /** Records below this offset are too old to be repeated. */
  private floor = 0;

  /** Number of offsets between two samples, or fewer. */
  private readonly step: number;

  constructor(private readonly bounds: BusyPartitionThreshold) {
    this.step = Math.floor(bounds.records / mostSamples);
  }

  /** Whether reading has begun: without an earlier record, its log time must be set before the first batch. */
  get hasBegun(): boolean {
    return this.samples.length > 0;
  }

  /**
   * Sets where reading begins: its offset, its log time in milliseconds since 1970, and the offset below which no
   * record is younger than `milliseconds` before it.
   */
  begin(offset: number, logTime: number, floor: number): void {
    this.samples = [{ offset, logTime }];
    this.logTime = logTime;
    this.floor = floor;
  }

  /** Returns whether the partition is busy in a batch, and advances to `next`, the offset after the batch. */
  isBusyIn(records: readonly { offset: number; timestamp: number }[], next: number): boolean {
    if (this.bounds.milliseconds === 0) return false;
    let isBusy = false;
    for (let from = 0; from < records.length;) {
      const { offset, timestamp } = records[from]!;
      const before = Math.max(this.logTime, timestamp);
      let at = from;
      for (; at < records.length && records[at]!.offset - offset <= this.step; at++)
        if (records[at]!.timestamp > this.logTime) this.logTime = records[at]!.timestamp;
      isBusy ||= this.isBusyBetween(before, records[at - 1]!.offset);
      this.sample(records[at]?.offset ?? next);
      from = at;
    }
    return isBusy;
  }

  /** Returns whether a record with at least this log time and at most this offset can be a far duplicate. */
  private isBusyBetween(logTime: number, offset: number): boolean {
    const outside = offset - this.bounds.records;
    if (outside <= this.floor) return false;
    const sample = this.samples.find((one) => one.offset >= outside);
    return logTime - (sample?.logTime ?? logTime) <= this.bounds.milliseconds;
  }

  private sample(next: number): void {
    // A batch that is read again adds nothing.
    if (next <= (this.samples.at(-1)?.offset ?? -1)) return;
    const kept = this.samples.findLastIndex((one) => one.offset <= next - this.bounds.records);
    if (kept > 0) this.samples.splice(0, kept);
    const before = this.samples.at(-2);
    if (before && next - before.offset <= this.step) this.samples.pop();
    this.samples.push({ offset: next, logTime: this.logTime });
  }
}
