/** One addition of an item, until the item is written or removed. */
interface Entry<Item> {
  readonly item: Item;
}

/**
 * Combines the items of many partitions into few large writes to the store: one after the other, in the order of the
 * additions. The first item after a time without writes is written immediately. Items that are added during a write, or
 * within the spacing after its start, are written together by the next write. Nothing is written after a failed write.
 */
export abstract class WriteBehindQueue<Item> {
  /** The items that wait to be written, oldest first. */
  protected readonly waiting = new Map<Item, Entry<Item>>();
  private writing: readonly Entry<Item>[] = [];
  private running = false;
  private over = false;
  private lastStart = -Infinity;
  /** Callers of `flush`, each with the additions from before its call that are neither written nor removed yet. */
  private readonly flushes = new Set<{ readonly due: Set<Entry<Item>>; readonly resolve: () => void }>();
  /** Callers that wait for a permit. */
  private requests: { readonly size: number; readonly ended: AbortSignal; readonly grant: () => void }[] = [];
  /** Sum of the sizes of all permits that are not returned yet. */
  protected granted = 0;
  /** Whether a reader waits for the items. The next write resets it. */
  protected isAwaited = false;
  private wake: () => void = () => undefined;

  /**
   * @param most Limits of one write, in the units of `rowsOf` and `weightOf`. A write that reaches one takes no more.
   * @param onFailure Called when `write` has rejected, so that nothing more is written.
   */
  constructor(
    private readonly most: { rows: number; weight: number },
    private readonly onFailure: (error: unknown) => void,
  ) {}

  protected abstract rowsOf(item: Item): number;
  protected abstract weightOf(item: Item): number;
  /** Writes items, and retries where a retry may help. Two writes never run at the same time. */
  protected abstract write(items: readonly Item[]): Promise<void>;
  /** Milliseconds from the start of one write to the start of the next, unless the next is full or flushed. */
  protected abstract get spacingMs(): number;
  /** Whether a permit may be granted now. */
  protected abstract get hasRoom(): boolean;

  /**
   * Resolves, in the order of the calls, when the caller may compute what it will add to the queue. Resolves with a
   * function that returns the permit; a second call of it has no effect. Also resolves when the partition is dropped.
   * @param ended Aborted when the caller's partition is revoked: its permit then needs no room.
   */
  async permit(ended: AbortSignal, size = 1): Promise<() => void> {
    await new Promise<void>((grant) => {
      this.requests.push({ size, ended, grant });
      this.grantPermits();
    });
    let unreturned = size;
    return () => {
      this.granted -= unreturned;
      unreturned = 0;
      this.grantPermits();
    };
  }

  /** Makes the next write start soon after the previous one, because a reader waits for the items. */
  flushSoon(): void {
    this.isAwaited = true;
    this.wake();
  }

  /** Resolves when all items from before this call are written or removed, or after a failure. Does not wait for more. */
  async flush(): Promise<void> {
    const due = new Set([...this.writing, ...this.waiting.values()]);
    if (this.over || due.size === 0) return;
    await new Promise<void>((resolve) => {
      this.flushes.add({ due, resolve });
      this.wake();
    });
  }

  /** Discards all waiting items. All callers of `permit` and `flush` resolve. Nothing is written after this call. */
  abandon(): void {
    this.over = true;
    const entries = [...this.writing, ...this.waiting.values()];
    this.waiting.clear();
    this.settle(entries);
    this.grantPermits();
  }

  /** Adds an item to the next write; has no effect if the item waits already. */
  protected enqueue(item: Item): void {
    if (this.over) return;
    if (!this.waiting.has(item)) this.waiting.set(item, { item });
    if (!this.running) void this.run();
    this.wake();
  }

  /** Removes items that need not be written any more. A running write of them continues, but no flush waits for it. */
  protected remove(items: ReadonlySet<Item>): void {
    const entries = [...this.writing, ...this.waiting.values()].filter(({ item }) => items.has(item));
    for (const item of items) this.waiting.delete(item);
    this.settle(entries);
    this.grantPermits();
  }

  /** Whether the next write is full. */
  protected get isFull(): boolean {
    return this.nextWrite().isFull;
  }

  private async run(): Promise<void> {
    this.running = true;
    try {
      while (this.waiting.size > 0) {
        await this.pause();
        await this.writeNext();
      }
    } catch (error) {
      this.abandon();
      this.onFailure(error);
    }
    this.running = false;
  }

  private async pause(): Promise<void> {
    for (;;) {
      const rest = this.lastStart + this.spacingMs - performance.now();
      if (rest <= 0 || this.flushes.size > 0 || this.isFull) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, rest);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  private async writeNext(): Promise<void> {
    this.lastStart = performance.now();
    this.isAwaited = false;
    const { entries } = this.nextWrite();
    this.writing = entries;
    for (const { item } of entries) this.waiting.delete(item);
    const written = this.write(entries.map(({ item }) => item));
    // Others may compute during the write.
    this.grantPermits();
    await written;
    this.writing = [];
    this.settle(entries);
    this.grantPermits();
  }

  private nextWrite(): { entries: Entry<Item>[]; isFull: boolean } {
    const entries: Entry<Item>[] = [];
    let [rows, weight] = [0, 0];
    for (const entry of this.waiting.values()) {
      entries.push(entry);
      rows += this.rowsOf(entry.item);
      weight += this.weightOf(entry.item);
      if (rows >= this.most.rows || weight >= this.most.weight) return { entries, isFull: true };
    }
    return { entries, isFull: false };
  }

  private settle(entries: readonly Entry<Item>[]): void {
    for (const flush of this.flushes) {
      for (const entry of entries) flush.due.delete(entry);
      if (flush.due.size > 0) continue;
      this.flushes.delete(flush);
      flush.resolve();
    }
  }

  private grantPermits(): void {
    const requests = this.requests;
    this.requests = [];
    for (const request of requests) {
      const isFree = this.requests.length === 0 && this.hasRoom;
      if (this.over || request.ended.aborted || isFree) {
        this.granted += request.size;
        request.grant();
      } else this.requests.push(request);
    }
  }
}
