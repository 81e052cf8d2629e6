import { WriteBehindQueue } from '#engine';
import type { MaterializedPartition, PendingBatch } from '../partition/materialized-partition.js';

/** When an insert starts, and how much waits. */
export interface InsertLimits {
  /**
   * Number of rows with which an insert is full, so that it takes no further waiting batch. The limit `insertBytes` is
   * the same in bytes.
   */
  insertRows: number;
  insertBytes: number;
  /**
   * Minimum milliseconds from the start of one insert to the start of the next; a full insert starts earlier. The
   * interval is up to seven times as long while inserts are slow or Kafka has more records, because a few large inserts
   * cost ClickHouse much less than many small inserts.
   */
  intervalMs: number;
  /**
   * Maximum bytes of the batches that wait or are being inserted, exceeded by at most one batch. While this limit is
   * reached, no permit is granted.
   */
  queueBytes: number;
}

export interface InsertQueueOptions extends InsertLimits {
  /** Runs one insert. The batches of a partition are in offset order, and two inserts of a queue never run at the same time. */
  write(batches: readonly PendingBatch[]): Promise<void>;
  /** Called when `write` rejects. The queue writes nothing after a failure. */
  onFailure(error: unknown): void;
}

/** Maximum number of intervals (`intervalMs`) for which an insert that is not full waits for more rows. */
const mostIntervals = 7;
/**
 * Ratio of the time between the starts of two inserts to the duration of the first insert, so that inserts take about a
 * fifteenth of a core. While a reader waits, the time is shortened to `intervalMs`.
 */
const restPerInsert = 15;

/**
 * Combines the row batches of all partitions into few large inserts. A permit reserves bytes for a batch that is being
 * built, from before its rows are built until after `add`.
 */
export class InsertQueue extends WriteBehindQueue<PendingBatch> {
  /** Bytes of the batches that wait or are being inserted. */
  queuedBytes = 0;
  private lastTookMs = 0;

  constructor(private readonly options: InsertQueueOptions) {
    const { insertRows, insertBytes, queueBytes } = options;
    super({ rows: insertRows, weight: Math.min(insertBytes, queueBytes) }, (error) =>
      options.onFailure(error),
    );
  }

  /** Adds a batch, which is among the unstored batches of its partition. */
  add(batch: PendingBatch): void {
    this.queuedBytes += batch.bytes;
    this.enqueue(batch);
  }

  /**
   * Removes the waiting batches of a partition that this process no longer reads. A running insert continues: for a
   * revoked partition, its rows are correct, and for a deleted stream, its rows are removed later.
   */
  drop(state: MaterializedPartition): void {
    const dropped = [...this.waiting.keys()].filter((batch) => batch.state === state);
    this.release(dropped);
    this.remove(new Set(dropped));
  }

  protected rowsOf({ rows }: PendingBatch): number {
    return rows.count;
  }

  protected weightOf({ bytes }: PendingBatch): number {
    return bytes;
  }

  protected get hasRoom(): boolean {
    return this.queuedBytes + this.granted < this.options.queueBytes;
  }

  protected get spacingMs(): number {
    const { intervalMs } = this.options;
    const longest = mostIntervals * intervalMs;
    if (this.isAwaited) return intervalMs;
    if (this.expectsMore) return longest;
    return Math.max(intervalMs, Math.min(restPerInsert * this.lastTookMs, longest));
  }

  protected async write(batches: readonly PendingBatch[]): Promise<void> {
    const start = performance.now();
    await this.options.write(batches);
    this.lastTookMs = performance.now() - start;
    this.release(batches);
  }

  /** Whether Kafka had, for some partition, more records after the partition's last waiting batch. */
  private get expectsMore(): boolean {
    const ends = new Map([...this.waiting.keys()].map(({ state, behind }) => [state, behind]));
    return [...ends.values()].includes(true);
  }

  /** Releases the memory of batches that are stored or need not be stored. */
  private release(batches: readonly PendingBatch[]): void {
    for (const batch of batches) {
      this.queuedBytes -= batch.bytes;
      batch.state.unstored.splice(batch.state.unstored.indexOf(batch), 1);
    }
  }
}
