import type { OwnedPartition } from './owned-partition.js';

/** What a task has to save. */
export interface Checkpoint {
  readonly progress: { readonly next: number };
  /** To be called when all of it is saved. */
  saved(): void;
}

/** A task whose changes are saved together with those of others. */
export interface Checkpointed<Saving extends Checkpoint> {
  readonly partition: Pick<OwnedPartition, 'ended' | 'commit'>;
  /** Rows and dead letters that wait to be saved, and about how many characters they have. */
  readonly unsavedCount: number;
  readonly unsavedWeight: number;
  /** Whether it is far behind: what it saves now, it changes again soon. */
  readonly isBehind: boolean;
  /** Returns what is new since the last save; undefined for nothing. */
  unsaved(): Saving | undefined;
}

export interface CheckpointerOptions<Task, Saving> {
  /** Repeats what may help; rejects when nothing is saved any more. */
  save(all: readonly Saving[]): Promise<void>;
  /** The task's changes are saved. */
  saved(task: Task): void;
  /** Saves do not start more often than this, in milliseconds, unless there is enough for a full one. */
  intervalMs: number;
  /** Keys, and about how many characters, that may wait; past that, nobody gets a permit. */
  most: { keys: number; weight: number };
  /** Tasks that compute at the same time. */
  permits: number;
  /** Nothing is saved any more. */
  onFailure(error: unknown): void;
}

/** What is far behind is saved so much less often: a key that many events change is then written once for all of them. */
const restBehind = 5;

/** Somebody who waits until what there was when he came is saved. */
interface Flush<Task> {
  /** Saves that are still to come, by task. */
  readonly due: Map<Task, number>;
  readonly resolve: () => void;
}

interface Queued<Task> {
  task: Task;
  readonly enter: () => void;
}

/**
 * Saves what all tasks have changed, together, and then commits their positions: few, large inserts, however many projections
 * or pipelines there are. The first change after a pause is saved at once. Under load, what changes during one save or within
 * the interval makes the next.
 */
export class Checkpointer<Task extends Checkpointed<Saving>, Saving extends Checkpoint> {
  private readonly waiting = new Set<Task>();
  private queue: Queued<Task>[] = [];
  private permitted = 0;
  private lastStart = -Infinity;
  private running: Promise<void> | undefined;
  private over = false;
  private saving: readonly Task[] = [];
  private readonly flushes = new Set<Flush<Task>>();
  private hurry: () => void = () => undefined;

  constructor(private readonly options: CheckpointerOptions<Task, Saving>) {}

  /**
   * Resolves, in the order of the calls, when the task may compute: there is room for what it changes, and not too many ask
   * the store for keys. Resolves with what returns the permit. It resolves, too, when the partition has ended.
   */
  async permit(task: Task): Promise<() => void> {
    await new Promise<void>((enter) => {
      this.queue.push({ task, enter });
      this.letIn();
    });
    let returned = false;
    return () => {
      if (returned) return;
      returned = true;
      this.permitted--;
      this.letIn();
    };
  }

  /** The task has something to save. */
  add(task: Task): void {
    if (this.over || task.partition.ended.aborted) return;
    this.waiting.add(task);
    this.running ??= this.run();
    if (this.isFull || !task.isBehind) this.hurry();
  }

  /** The partition is no longer ours: what it has not saved, somebody else reads again. */
  drop(task: Task): void {
    this.waiting.delete(task);
    for (const flush of this.flushes) this.settle(flush, task, Infinity);
    this.letIn();
  }

  /** Resolves when everything that was added before this call is saved, or nothing is saved any more. */
  async flush(): Promise<void> {
    const due = new Map<Task, number>();
    for (const task of [...this.saving, ...this.waiting]) due.set(task, (due.get(task) ?? 0) + 1);
    if (this.over || due.size === 0) return;
    await new Promise<void>((resolve) => {
      this.flushes.add({ due, resolve });
      this.hurry();
    });
  }

  /** Nobody waits for a permit any more: nothing more is saved. */
  abandon(): void {
    this.over = true;
    this.waiting.clear();
    this.flushed();
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
    this.flushed();
  }

  private flushed(): void {
    for (const { resolve } of this.flushes) resolve();
    this.flushes.clear();
  }

  private settle(flush: Flush<Task>, task: Task, saves: number): void {
    const left = (flush.due.get(task) ?? 0) - saves;
    if (left > 0) flush.due.set(task, left);
    else flush.due.delete(task);
    if (flush.due.size > 0) return;
    this.flushes.delete(flush);
    flush.resolve();
  }

  private get isFull(): boolean {
    const { most } = this.options;
    let [keys, weight] = [0, 0];
    for (const { unsavedCount, unsavedWeight } of this.waiting) {
      keys += unsavedCount;
      weight += unsavedWeight;
    }
    return keys >= most.keys || weight >= most.weight;
  }

  private async pause(): Promise<void> {
    for (let rest = this.rest; rest > 0 && !this.isFull && this.flushes.size === 0; rest = this.rest) {
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
    const allBehind = [...this.waiting].every((task) => task.isBehind);
    const interval = this.options.intervalMs * (allBehind ? restBehind : 1);
    return this.lastStart + interval - performance.now();
  }

  private async saveNext(): Promise<void> {
    this.lastStart = performance.now();
    const taken = this.take();
    // Others compute while these are saved.
    this.letIn();
    this.saving = taken.map(({ task }) => task);
    const all = taken.flatMap(({ saving }) => saving ?? []);
    if (all.length > 0) await this.options.save(all);
    this.saving = [];
    for (const { task, saving } of taken) {
      if (saving) this.saved(task, saving);
      for (const flush of this.flushes) this.settle(flush, task, 1);
    }
  }

  private saved(task: Task, saving: Saving): void {
    saving.saved();
    this.options.saved(task);
    task.partition.commit(saving.progress.next);
  }

  /** As many as make a full save. What is left comes with the next. */
  private take(): { task: Task; saving: Saving | undefined }[] {
    const { most } = this.options;
    const taken: { task: Task; saving: Saving | undefined }[] = [];
    let [keys, weight] = [0, 0];
    for (const task of this.waiting) {
      if (keys >= most.keys || weight >= most.weight) break;
      keys += task.unsavedCount;
      weight += task.unsavedWeight;
      this.waiting.delete(task);
      taken.push({ task, saving: task.unsaved() });
    }
    return taken;
  }

  /** Whoever came first, while there is room; and those whose partition has ended: they compute nothing. */
  private letIn(): void {
    const queued = this.queue;
    this.queue = [];
    for (const one of queued) {
      const isOver = this.over || one.task.partition.ended.aborted;
      const mayEnter = this.queue.length === 0 && this.permitted < this.options.permits && !this.isFull;
      if (!isOver && !mayEnter) this.queue.push(one);
      else {
        this.permitted++;
        one.enter();
      }
    }
  }
}
