/** How long a fetch may hold up partitions that get room again meanwhile: a connection answers one at a time. */
const busyWaitMs = 10;
/** A broker looks at every partition of a fetch when it comes and when its wait is over: at so many a second at most. */
const msPerPartition = 1 / 4;
const longestWaitMs = 1_000;
/** An answer with so many bytes is worth its request. */
const enoughBytes = 64 * 1024;

/**
 * How long the next fetch of one broker waits for records. New records end the wait at once, so a long wait delays only
 * partitions that are added or get room again meanwhile. While a partition is held back, fetches are short; they grow
 * longer for as long as nothing comes.
 */
export class FetchPace {
  private rounds = 0;

  constructor(private readonly bounds: { fetchWaitMs: number; fetchCollectMs: number }) {}

  waitMs(fetch: { someHeld: boolean; partitions: number }): number {
    const manyMs = Math.min(Math.ceil(fetch.partitions * msPerPartition), longestWaitMs);
    const idleMs = Math.max(this.bounds.fetchWaitMs, manyMs);
    if (!fetch.someHeld) return idleMs;
    const shortMs = Math.max(busyWaitMs, Math.ceil(manyMs / 10));
    return Math.min(shortMs * 2 ** this.rounds, idleMs);
  }

  /** Returns how long to pause before the next fetch, so that the broker collects records for it. */
  answered({ bytes }: { bytes: number }): number {
    this.rounds = bytes === 0 ? Math.min(this.rounds + 1, 10) : 0;
    return bytes > 0 && bytes < enoughBytes ? this.bounds.fetchCollectMs : 0;
  }
}
