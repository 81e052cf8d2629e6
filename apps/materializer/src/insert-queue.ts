import type { Chunk } from './chunk.js';
import type { PartitionState } from './partition-state.js';

export interface InsertQueueOptions {
  /** One insert takes chunks until it has this many rows or bytes. */
  insertRows: number;
  insertBytes: number;
  /**
   * Milliseconds from the start of one insert to the next, at least, unless there is enough for a full one. Where inserts
   * take long, or the log has more, up to five times as long: few large inserts cost the store much less than many small
   * ones.
   */
  intervalMs: number;
  /** Bytes that wait or are being inserted; past that, `add` holds its caller back. */
  queueBytes: number;
  /** Makes one insert. Chunks of one partition come in their order, never two inserts at a time. */
  write(chunks: readonly Chunk[]): Promise<void>;
  /** `write` failed for good; nothing is written any more. */
  onFailure(error: unknown): void;
}

/** Bytes of the queue that are kept free for somebody. */
export interface Room {
  /** They are used now, or not needed. May be called again. */
  release(): void;
}

/** Intervals that an insert that is not full waits for more at most. */
const mostIntervals = 5;
/** An insert that took a millisecond is followed by so many in which nothing is inserted: a tenth of a core, whatever comes. */
const restPerInsert = 10;

interface Entering {
  state: PartitionState;
  bytes: number;
  enter(): void;
}

/**
 * Collects what the partitions have for the store into few, large inserts. After a pause the first chunk is inserted at
 * once; under load, what arrives during one insert or within the interval makes the next.
 */
export class InsertQueue {
  private waiting: Chunk[] = [];
  private writing: readonly Chunk[] = [];
  private bytes = 0;
  private rows = 0;
  private lastStart = -Infinity;
  private lastTookMs = 0;
  private running: Promise<void> | undefined;
  private failed = false;
  private flushing = false;
  private hurry: () => void = () => undefined;
  /** Bytes of those who make a chunk now. */
  private reserved = 0;
  private entering: Entering[] = [];
  private held: { state: PartitionState; resolve: () => void }[] = [];

  constructor(private readonly options: InsertQueueOptions) {}

  get bytesHeld(): number {
    return this.bytes;
  }

  /** Resolves when there is room for a chunk of about this size, in the order of the calls. `release` it after `add`. */
  async reserve(state: PartitionState, bytes: number): Promise<Room> {
    await new Promise<void>((enter) => {
      this.entering.push({ state, bytes, enter });
      this.letIn();
    });
    let kept = bytes;
    return {
      release: () => {
        this.reserved -= kept;
        kept = 0;
        this.letIn();
      },
    };
  }

  /** Resolves when there is room for more. */
  async add(chunk: Chunk): Promise<void> {
    this.waiting.push(chunk);
    this.bytes += chunk.bytes;
    this.rows += chunk.rows.count;
    if (this.isFull || !this.expectsMore) this.hurry();
    if (!this.failed) this.running ??= this.run();
    if (this.bytes < this.options.queueBytes || this.failed) return;
    await new Promise<void>((resolve) => this.held.push({ state: chunk.state, resolve }));
  }

  /**
   * Forgets what a dropped partition has waiting. An insert that is under way goes on: of a revoked partition it is
   * harmless, and of a deleted stream its rows are removed once more.
   */
  drop(state: PartitionState): void {
    const dropped = this.waiting.filter((chunk) => chunk.state === state);
    this.waiting = this.waiting.filter((chunk) => chunk.state !== state);
    this.rows -= rowsOf(dropped);
    this.release(dropped);
    this.letGo((held) => held.state === state);
    this.letIn((entering) => entering.state === state);
  }

  /** Resolves when everything that was added is written, or nothing is written any more. */
  async flush(): Promise<void> {
    this.flushing = true;
    this.hurry();
    while (this.running) await this.running;
    this.flushing = false;
  }

  /** Lets go of everyone who is held back: nothing more of theirs will be stored. */
  abandon(): void {
    this.failed = true;
    this.waiting = [];
    this.letGo();
    this.letIn();
  }

  /** What is not stored yet, in order: what is being inserted, then what waits. */
  get unstored(): readonly Chunk[] {
    return [...this.writing, ...this.waiting];
  }

  private async run(): Promise<void> {
    try {
      while (this.waiting.length > 0) {
        await this.pause();
        await this.writeNext();
      }
    } catch (error) {
      // Nothing may be written past what failed.
      this.failed = true;
      this.options.onFailure(error);
    }
    this.running = undefined;
  }

  private async writeNext(): Promise<void> {
    this.lastStart = performance.now();
    this.writing = this.take();
    await this.options.write(this.writing);
    this.lastTookMs = performance.now() - this.lastStart;
    const written = this.writing;
    this.writing = [];
    this.release(written);
  }

  private get isFull(): boolean {
    const { insertRows, insertBytes, queueBytes } = this.options;
    return this.flushing || this.rows >= insertRows || this.bytes >= Math.min(insertBytes, queueBytes);
  }

  /** Until the next insert is full, or due. What is added meanwhile may make it due. */
  private async pause(): Promise<void> {
    for (;;) {
      const rest = this.lastStart + this.spacingMs - performance.now();
      if (rest <= 0 || this.isFull) return;
      await this.hurried(rest);
    }
  }

  /** From the start of one insert to that of the next. */
  private get spacingMs(): number {
    const { intervalMs } = this.options;
    const longest = mostIntervals * intervalMs;
    if (this.expectsMore) return longest;
    return Math.max(intervalMs, Math.min(restPerInsert * this.lastTookMs, longest));
  }

  private async hurried(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.hurry = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.hurry = () => undefined;
  }

  /** Whether the log had more behind the last chunk of some partition. */
  private get expectsMore(): boolean {
    const ends = new Map(this.waiting.map(({ state, behind }) => [state, behind]));
    return [...ends.values()].includes(true);
  }

  private take(): Chunk[] {
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

  private release(chunks: readonly Chunk[]): void {
    for (const chunk of chunks) this.bytes -= chunk.bytes;
    if (this.bytes < this.options.queueBytes) this.letGo();
    this.letIn();
  }

  /** Whoever comes first, while there is room; and those of `always`, of whom nothing will be added. */
  private letIn(always: (entering: Entering) => boolean = () => this.failed): void {
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

  private letGo(which: (held: { state: PartitionState }) => boolean = () => true): void {
    const going = this.held.filter(which);
    this.held = this.held.filter((held) => !going.includes(held));
    for (const { resolve } of going) resolve();
  }
}

function rowsOf(chunks: readonly Chunk[]): number {
  return chunks.reduce((sum, chunk) => sum + chunk.rows.count, 0);
}
