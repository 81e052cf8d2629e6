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
   * Maximum bytes of the batches that wait or are being inserted. While this limit is reached, `add` does not resolve.
   */
  queueBytes: number;
}

export interface InsertQueueOptions extends InsertLimits {
  /** Runs one insert. The batches of a partition are in offset order, and two inserts never run at the same time. */
  write(batches: readonly PendingBatch[]): Promise<void>;
  /** Called when `write` rejects. The queue writes nothing after a failure. */
  onFailure(error: unknown): void;
}

/** A reservation of bytes in the insert queue for a batch that is being built. */
interface QueueReservation {
  /** Ends the reservation. A second call has no effect. */
  release(): void;
}

/** Maximum number of intervals (`intervalMs`) for which an insert that is not full waits for more rows. */
const mostIntervals = 7;
/**
 * Ratio of the time between the starts of two inserts to the duration of the first insert, so that inserts take about a
 * fifteenth of a core. While a reader waits, the time is shortened to `intervalMs`.
 */
const restPerInsert = 15;

interface WaitingReservation {
  state: MaterializedPartition;
  bytes: number;
  enter(): void;
}

/**
 * Combines the row batches of all partitions into few large inserts. If the queue was idle, the first batch is inserted
 * immediately. Under load, the batches that arrive during an insert or within the interval after its start form the
 * next insert.
 */
export class InsertQueue {
  private waiting: PendingBatch[] = [];
  private bytes = 0;
  private rows = 0;
  private lastStart = -Infinity;
  private lastTookMs = 0;
  private running: Promise<void> | undefined;
  private failed = false;
  private flushing = false;
  /**
   * True while a reader waits for pending events: the next insert then starts `intervalMs` after the start of the
   * previous insert.
   */
  private awaited = false;
  private hurry: () => void = () => undefined;
  /** Number of bytes of reservations that are not released yet. */
  private reserved = 0;
  private entering: WaitingReservation[] = [];
  private blocked: { state: MaterializedPartition; resolve: () => void }[] = [];

  constructor(private readonly options: InsertQueueOptions) {}

  get bytesHeld(): number {
    return this.bytes;
  }

  /**
   * Resolves with a reservation when the queue has room for a batch of about this many bytes. Reservations are granted
   * in the order of the calls. The caller releases the reservation after `add`.
   */
  async reserve(state: MaterializedPartition, bytes: number): Promise<QueueReservation> {
    await new Promise<void>((enter) => {
      this.entering.push({ state, bytes, enter });
      this.grant();
    });
    let kept = bytes;
    return {
      release: () => {
        this.reserved -= kept;
        kept = 0;
        this.grant();
      },
    };
  }

  /** Adds a batch to the queue, and resolves when the queue has room for more. */
  async add(batch: PendingBatch): Promise<void> {
    this.waiting.push(batch);
    batch.state.unstored.push(batch);
    this.bytes += batch.bytes;
    this.rows += batch.rows.count;
    if (this.isFull || !this.expectsMore) this.hurry();
    if (!this.failed) this.running ??= this.run();
    if (this.bytes < this.options.queueBytes || this.failed) return;
    await new Promise<void>((resolve) => this.blocked.push({ state: batch.state, resolve }));
  }

  /**
   * Removes the waiting batches of a partition that this process no longer reads. A running insert continues: for a
   * revoked partition, its rows are correct, and for a deleted stream, its rows are removed later.
   */
  drop(state: MaterializedPartition): void {
    const dropped = this.waiting.filter((batch) => batch.state === state);
    this.waiting = this.waiting.filter((batch) => batch.state !== state);
    for (const { rows } of dropped) this.rows -= rows.count;
    this.remove(dropped);
    this.unblock((blocked) => blocked.state === state);
    this.grant((reservation) => reservation.state === state);
  }

  /** Makes the next insert start `intervalMs` after the previous one, because a reader waits for its events. */
  flushSoon(): void {
    this.awaited = true;
    this.hurry();
  }

  /** Writes all batches that were added, without waiting for more. Also resolves when a write fails. */
  async flush(): Promise<void> {
    this.flushing = true;
    this.hurry();
    while (this.running) await this.running;
    this.flushing = false;
  }

  /** Discards all waiting batches and unblocks all callers of the queue. The queue writes nothing after this call. */
  abandon(): void {
    this.failed = true;
    this.waiting = [];
    this.unblock();
    this.grant();
  }

  private async run(): Promise<void> {
    try {
      while (this.waiting.length > 0) {
        await this.pause();
        await this.writeNext();
      }
    } catch (error) {
      // After a failed insert, no later batch may be written.
      this.failed = true;
      this.options.onFailure(error);
    }
    this.running = undefined;
  }

  private async writeNext(): Promise<void> {
    this.lastStart = performance.now();
    this.awaited = false;
    const batches = this.takeBatches();
    await this.options.write(batches);
    this.lastTookMs = performance.now() - this.lastStart;
    this.remove(batches);
  }

  private get isFull(): boolean {
    const { insertRows, insertBytes, queueBytes } = this.options;
    return this.flushing || this.rows >= insertRows || this.bytes >= Math.min(insertBytes, queueBytes);
  }

  /**
   * Resolves when the next insert is full, or when its start time has come. A batch that is added meanwhile can fill
   * the insert.
   */
  private async pause(): Promise<void> {
    for (;;) {
      const rest = this.lastStart + this.spacingMs - performance.now();
      if (rest <= 0 || this.isFull) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, rest);
        this.hurry = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.hurry = () => undefined;
    }
  }

  /** Milliseconds from the start of the last insert to the start of the next insert. */
  private get spacingMs(): number {
    const { intervalMs } = this.options;
    const longest = mostIntervals * intervalMs;
    if (this.awaited) return intervalMs;
    if (this.expectsMore) return longest;
    return Math.max(intervalMs, Math.min(restPerInsert * this.lastTookMs, longest));
  }

  /** Whether Kafka had, for some partition, more records after the partition's last waiting batch. */
  private get expectsMore(): boolean {
    const ends = new Map(this.waiting.map(({ state, behind }) => [state, behind]));
    return [...ends.values()].includes(true);
  }

  private takeBatches(): PendingBatch[] {
    const { insertRows, insertBytes } = this.options;
    let rows = 0;
    let bytes = 0;
    let count = 0;
    while (count < this.waiting.length && rows < insertRows && bytes < insertBytes) {
      rows += this.waiting[count]!.rows.count;
      bytes += this.waiting[count]!.bytes;
      count++;
    }
    this.rows -= rows;
    return this.waiting.splice(0, count);
  }

  /** Removes batches that are stored or need not be stored. */
  private remove(batches: readonly PendingBatch[]): void {
    for (const batch of batches) {
      this.bytes -= batch.bytes;
      batch.state.unstored.splice(batch.state.unstored.indexOf(batch), 1);
    }
    if (this.bytes < this.options.queueBytes) this.unblock();
    this.grant();
  }

  /**
   * Grants waiting reservations in the order of the calls while the queue has room. A reservation for which `always`
   * returns true is granted without room, because its caller adds nothing.
   */
  private grant(always: (reservation: WaitingReservation) => boolean = () => this.failed): void {
    const waiting = this.entering;
    this.entering = [];
    for (const one of waiting) {
      const full = this.entering.length > 0 || this.bytes + this.reserved >= this.options.queueBytes;
      if (full && !always(one)) this.entering.push(one);
      else {
        this.reserved += one.bytes;
        one.enter();
      }
    }
  }

  private unblock(which: (blocked: { state: MaterializedPartition }) => boolean = () => true): void {
    const unblocked = this.blocked.filter(which);
    this.blocked = this.blocked.filter((one) => !unblocked.includes(one));
    for (const { resolve } of unblocked) resolve();
  }
}
