/** What a partition has to save. */
export interface Saving {
  readonly progress: { readonly next: number };
  /** To be called when all of it is saved. */
  saved(): void;
}

/** A partition whose changes are saved together with those of others. */
export interface SavedPart<Unsaved extends Saving> {
  /** Aborted when it is no longer ours. */
  readonly ended: AbortSignal;
  /** Rows and dead letters that wait to be saved, and about how many characters they have. */
  readonly unsavedCount: number;
  readonly unsavedWeight: number;
  /** Whether it is far behind: what it saves now, it changes again soon. */
  readonly isBehind: boolean;
  /** What is new since the last save; undefined for nothing. */
  unsaved(): Unsaved | undefined;
}

export interface SaverOptions<Part, Unsaved> {
  /** Repeats what may help; rejects when nothing is saved any more. */
  readonly save: (all: readonly Unsaved[]) => Promise<void>;
  /** Saves do not start more often than this, in milliseconds, unless there is enough for a full one. */
  intervalMs: number;
  /** Keys, and about how many characters, that may wait; past that, nobody gets a turn. */
  most: { keys: number; weight: number };
  /** Partitions that fold a batch at the same time. */
  turns: number;
  /** The partition's state is saved. */
  saved(part: Part, next: number): void;
  /** Nothing is saved any more. */
  onFailure(error: unknown): void;
}

/** Records from the log's end from which on a partition is far behind. */
export const behindRecords = 10_000;

/** What is far behind is saved so much less often: a key that many events change is then written once for all of them. */
const restBehind = 5;

interface Queued<Part> {
  part: Part;
  readonly enter: () => void;
}

/**
 * Saves what all partitions have changed, together: few, large inserts, however many projections or pipelines there are. After a pause at once; under load, what changes during one save or within the interval makes the next.
 */
export class Saver<Part extends SavedPart<Unsaved>, Unsaved extends Saving> {
  private readonly waiting = new Set<Part>();
  private queue: Queued<Part>[] = [];
  private folding = 0;
  private lastStart = -Infinity;
  private running: Promise<void> | undefined;
  private over = false;
  private flushing = 0;
  private hurry: () => void = () => undefined;

  constructor(private readonly options: SaverOptions<Part, Unsaved>) {}

  /**
   * Resolves, in the order of the calls, when the partition may fold a batch: there is room for what it changes, and not
   * too many ask the store for keys. Call what it resolves with when that is done. Look whether the partition has ended.
   */
  async turn(part: Part): Promise<() => void> {
    await new Promise<void>((enter) => {
      this.queue.push({ part, enter });
      this.letIn();
    });
    let over = false;
    return () => {
      if (over) return;
      over = true;
      this.folding--;
      this.letIn();
    };
  }

  /** The partition has something to save. */
  add(part: Part): void {
    if (this.over || part.ended.aborted) return;
    this.waiting.add(part);
    this.running ??= this.run();
    if (this.isFull || !part.isBehind) this.hurry();
  }

  /** The partition is no longer ours: what it has not saved, somebody else reads again. */
  drop(part: Part): void {
    this.waiting.delete(part);
    this.letIn();
  }

  /** Resolves when everything that was added is saved, or nothing is saved any more. */
  async flush(): Promise<void> {
    this.flushing++;
    this.hurry();
    while (this.running) await this.running;
    this.flushing--;
  }

  /** Nobody waits for a turn any more: nothing more is saved. */
  abandon(): void {
    this.over = true;
    this.waiting.clear();
    this.letIn();
  }

  private async run(): Promise<void> {
    try {
      while (this.waiting.size > 0) {
        await this.pause();
        await this.saveNext();
      }
    } catch (error) {
      this.abandon();
      this.options.onFailure(error);
    }
    this.running = undefined;
  }

  private get isFull(): boolean {
    const { most } = this.options;
    let [keys, weight] = [0, 0];
    for (const part of this.waiting) {
      keys += part.unsavedCount;
      weight += part.unsavedWeight;
    }
    return keys >= most.keys || weight >= most.weight;
  }

  private async pause(): Promise<void> {
    for (let rest = this.rest; rest > 0 && !this.isFull && this.flushing === 0; rest = this.rest) {
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

  /** Milliseconds until the next save, as things are. */
  private get rest(): number {
    const allBehind = [...this.waiting].every((part) => part.isBehind);
    const interval = this.options.intervalMs * (allBehind ? restBehind : 1);
    return this.lastStart + interval - performance.now();
  }

  private async saveNext(): Promise<void> {
    this.lastStart = performance.now();
    const parts = this.take();
    // Folding goes on while these are saved.
    this.letIn();
    if (parts.length > 0) await this.options.save(parts.map(({ unsaved }) => unsaved));
    for (const { part, unsaved } of parts) {
      unsaved.saved();
      this.options.saved(part, unsaved.progress.next);
    }
  }

  /** As many as make a full save. What is left comes with the next. */
  private take(): { part: Part; unsaved: Unsaved }[] {
    const { most } = this.options;
    const taken: { part: Part; unsaved: Unsaved }[] = [];
    let [keys, weight] = [0, 0];
    for (const part of this.waiting) {
      if (keys >= most.keys || weight >= most.weight) break;
      keys += part.unsavedCount;
      weight += part.unsavedWeight;
      this.waiting.delete(part);
      const unsaved = part.unsaved();
      if (unsaved) taken.push({ part, unsaved });
    }
    return taken;
  }

  /** Whoever came first, while there is room; and those whose partition has ended, who will not fold. */
  private letIn(): void {
    const queued = this.queue;
    this.queue = [];
    for (const one of queued) {
      const isOver = this.over || one.part.ended.aborted;
      const mayEnter = this.queue.length === 0 && this.folding < this.options.turns && !this.isFull;
      if (!isOver && !mayEnter) this.queue.push(one);
      else {
        this.folding++;
        one.enter();
      }
    }
  }
}
