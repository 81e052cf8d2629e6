/** Milliseconds of a fetch while a partition is paused: it delays partitions that get room meanwhile. */
const busyWaitMs = 10;
/** Milliseconds of wait for each partition of a fetch: brokers check each at the begin and end of the wait. */
const msPerPartition = 1 / 4;
const longestWaitMs = 1_000;
/** Minimum size in bytes of a response after which the next fetch follows without a pause. */
const enoughBytes = 64 * 1024;

/**
 * Poll back-off of the fetches from one broker: how long the next fetch waits for records, and the pause before it. New
 * records end the wait at once, so a long wait delays only partitions that are added or get room again meanwhile. While
 * a partition is paused, fetches wait only briefly; the wait doubles with each response without records.
 */
export class PollBackoff {
  private rounds = 0;

  constructor(private readonly bounds: { fetchWaitMs: number; fetchCollectMs: number }) {}

  waitMs(fetch: { hasPaused: boolean; partitions: number }): number {
    const manyMs = Math.min(Math.ceil(fetch.partitions * msPerPartition), longestWaitMs);
    const idleMs = Math.max(this.bounds.fetchWaitMs, manyMs);
    if (!fetch.hasPaused) return idleMs;
    const shortMs = Math.max(busyWaitMs, Math.ceil(manyMs / 10));
    return Math.min(shortMs * 2 ** this.rounds, idleMs);
  }

  /** Takes the size of a fetch response. Returns the milliseconds to wait for records before the next fetch. */
  answered({ bytes }: { bytes: number }): number {
    this.rounds = bytes === 0 ? Math.min(this.rounds + 1, 10) : 0;
    return bytes > 0 && bytes < enoughBytes ? this.bounds.fetchCollectMs : 0;
  }
}
