import { inStoreSpans, type Retry } from '#consuming';
import type { EventWriter, ProjectionWriter } from '#store';
import { metrics, type Tracing } from '#telemetry';
import type { PartitionProjector, Unsaved } from './partition-projector.js';
import { saveSpans } from './save-spans.js';

export interface SaverOptions {
  writer: Pick<ProjectionWriter, 'save'> & Pick<EventWriter, 'appendDeadLetters'>;
  retry: Retry;
  /** Saves do not start more often than this, in milliseconds, unless there is enough for a full one. */
  intervalMs: number;
  /** Keys, and about how many characters, that may wait; past that, nobody gets a turn. */
  most: { keys: number; weight: number };
  /** Partitions that fold a batch at the same time. */
  turns: number;
  tracing?: Tracing | undefined;
  /** Aborted when everything stops at once. */
  stopped: AbortSignal;
  /** The partition's state is saved. */
  saved(part: PartitionProjector, next: number): void;
  /** Nothing is saved any more. */
  onFailure(error: unknown): void;
}

/** What is far behind is saved so much less often: a key that many events change is then written once for all of them. */
const restBehind = 5;

interface Queued {
  part: PartitionProjector;
  readonly enter: () => void;
}

/**
 * Saves what all partitions of all builds have changed, together: few, large inserts, however many projections there
 * are. After a pause at once; under load, what changes during one save or within the interval makes the next.
 */
export class Saver {
  private readonly waiting = new Set<PartitionProjector>();
  private queue: Queued[] = [];
  private folding = 0;
  private lastStart = -Infinity;
  private running: Promise<void> | undefined;
  private over = false;
  private flushing = 0;
  private hurry: () => void = () => undefined;

  constructor(private readonly options: SaverOptions) {}

  /**
   * Resolves, in the order of the calls, when the partition may fold a batch: there is room for what it changes, and not
   * too many ask the store for keys. Call what it resolves with when that is done. Look whether the partition has ended.
   */
  async turn(part: PartitionProjector): Promise<() => void> {
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
  add(part: PartitionProjector): void {
    if (this.over || part.ended.aborted) return;
    this.waiting.add(part);
    this.running ??= this.run();
    if (this.isFull || !part.isBehind) this.hurry();
  }

  /** The partition is no longer ours: what it has not saved, somebody else reads again. */
  drop(part: PartitionProjector): void {
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
    const all = parts.map(({ unsaved }) => unsaved);
    if (all.length > 0) await inStoreSpans(saveSpans(this.options.tracing, all), () => this.save(all));
    for (const { part, unsaved } of parts) {
      unsaved.saved();
      this.options.saved(part, unsaved.progress.next);
    }
  }

  /** As many as make a full save. What is left comes with the next. */
  private take(): { part: PartitionProjector; unsaved: Unsaved }[] {
    const { most } = this.options;
    const taken: { part: PartitionProjector; unsaved: Unsaved }[] = [];
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

  private async save(all: readonly Unsaved[]): Promise<void> {
    const { writer, retry, stopped } = this.options;
    const letters = all.flatMap((one) => one.letters);
    const rows = all.flatMap((one) => one.rows);
    const observe = metrics.projectionSaveDuration.startTimer();
    if (letters.length > 0) {
      await retry.run('store', stopped, () => writer.appendDeadLetters(letters));
      metrics.deadLetters.inc({ reason: 'cannot_be_folded' }, letters.length);
    }
    await retry.run('store', stopped, () =>
      writer.save(
        rows,
        all.map(({ progress }) => progress),
      ),
    );
    observe();
    metrics.projectionSavedRows.inc(rows.length);
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
