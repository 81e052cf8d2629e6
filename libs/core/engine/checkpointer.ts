import type { OwnedPartition } from './owned-partition.js';

/** The unsaved changes of one partition task, up to an offset, which one save writes to the store. */
export interface UnsavedTaskChanges {
  readonly progress: { readonly next: number };
  /** Called when all changes of this checkpoint are saved. */
  saved(): void;
}

/** A task of one partition, whose unsaved changes are saved together with those of other tasks. */
export interface CheckpointedTask<Saving extends UnsavedTaskChanges> {
  readonly partition: Pick<OwnedPartition, 'ended' | 'commit'>;
  /** Number of rows and dead letters of this task that wait to be saved. */
  readonly unsavedCount: number;
  readonly unsavedWeight: number;
  /** Whether the task is far behind the end of its partition, so that it will soon change the same keys again. */
  readonly isBehind: boolean;
  /** Returns the changes of this task since its last checkpoint; undefined if there are none. */
  unsaved(): Saving | undefined;
}

/** Save function, limits and interval of a `Checkpointer`. */
interface CheckpointerOptions<Task, Saving> {
  /** Saves checkpoints and retries where a retry may help. Rejects when no further save is possible. */
  save(all: readonly Saving[]): Promise<void>;
  /** Called when the task's changes are saved. */
  saved(task: Task): void;
  /** Minimum milliseconds between the starts of two saves, unless the changes reach `most`. */
  intervalMs: number;
  /** Limits of unsaved changes, by number and approximate characters. No task gets a permit above them. */
  most: { keys: number; weight: number };
  /** Number of tasks that may compute at the same time. */
  permits: number;
  /** Called when a save has failed and nothing more is saved. */
  onFailure(error: unknown): void;
}

/** Factor of the interval between saves while all tasks are far behind: they write a key once for many events. */
const restBehind = 5;
/** Maximum milliseconds between the starts of two saves while a reader waits for the saved states. */
const awaitedMs = 100;

/** A caller of `flush` that waits until all changes from before its call are saved. */
interface Flush<Task> {
  /** Number of saves that the caller still waits for, by task. */
  readonly due: Map<Task, number>;
  readonly resolve: () => void;
}

/**
 * Saves the changes of many partition tasks together in one write to the store, and then commits the consumer group
 * offsets of their partitions. So the inserts are few and large, however many projections or pipelines run. The first
 * change after a pause without saves is saved immediately. Changes that are made during a save or within the interval
 * after its start are saved together by the next save.
 */
export class Checkpointer<Task extends CheckpointedTask<Saving>, Saving extends UnsavedTaskChanges> {
  private readonly waiting = new Set<Task>();
  /** Tasks that wait for a permit. */
  private queue: { task: Task; grant: () => void }[] = [];
  private permitted = 0;
  private lastStart = -Infinity;
  private running: Promise<void> | undefined;
  private over = false;
  private saving: readonly Task[] = [];
  private readonly flushes = new Set<Flush<Task>>();
  /** True if a reader waits: the next save then starts at most `awaitedMs` after the start of the previous one. */
  private awaited = false;
  private hurry: () => void = () => undefined;

  constructor(private readonly options: CheckpointerOptions<Task, Saving>) {}

  /**
   * Resolves, in the order of the calls, when the task may compute. Permits limit the unsaved changes, and the number
   * of tasks that read keys from the store at the same time. Resolves with a function that returns the permit.
   * Resolves, too, when the partition was revoked.
   */
  async permit(task: Task): Promise<() => void> {
    await new Promise<void>((grant) => {
      this.queue.push({ task, grant });
      this.grantPermits();
    });
    let returned = false;
    return () => {
      if (returned) return;
      returned = true;
      this.permitted--;
      this.grantPermits();
    };
  }

  /** Schedules a save of the task's changes; has no effect if the partition was revoked. */
  add(task: Task): void {
    if (this.over || task.partition.ended.aborted) return;
    this.waiting.add(task);
    this.running ??= this.run();
    if (this.isFull || !task.isBehind) this.hurry();
  }

  /** Removes a revoked task without saving its changes: the next owner of its partition reads the records again. */
  drop(task: Task): void {
    this.waiting.delete(task);
    for (const flush of this.flushes) this.settle(flush, task, Infinity);
    this.grantPermits();
  }

  /** Makes the next save start soon after the previous one, because a reader waits for the states. */
  flushSoon(): void {
    this.awaited = true;
    this.hurry();
  }

  /** Resolves when all changes from before this call are saved or dropped, or after `abandon`. */
  async flush(): Promise<void> {
    const due = new Map<Task, number>();
    for (const task of [...this.saving, ...this.waiting]) due.set(task, (due.get(task) ?? 0) + 1);
    if (this.over || due.size === 0) return;
    await new Promise<void>((resolve) => {
      this.flushes.add({ due, resolve });
      this.hurry();
    });
  }

  /** Stops saving. All callers of `permit` and `flush` resolve. */
  abandon(): void {
    this.over = true;
    this.waiting.clear();
    this.flushed();
    this.grantPermits();
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

  /** Milliseconds until the next save may start. */
  private get rest(): number {
    const allBehind = [...this.waiting].every((task) => task.isBehind);
    const usualMs = this.options.intervalMs * (allBehind ? restBehind : 1);
    const interval = this.awaited ? Math.min(awaitedMs, usualMs) : usualMs;
    return this.lastStart + interval - performance.now();
  }

  private async saveNext(): Promise<void> {
    this.lastStart = performance.now();
    this.awaited = false;
    const taken = this.nextSave();
    // Other tasks may compute while these changes are saved.
    this.grantPermits();
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

  /** Takes tasks for the next save until its limits are reached. Tasks above the limits wait for the following save. */
  private nextSave(): { task: Task; saving: Saving | undefined }[] {
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

  /** Grants permits in order, up to the limits; at once to tasks with revoked partitions, which compute nothing. */
  private grantPermits(): void {
    const queued = this.queue;
    this.queue = [];
    for (const one of queued) {
      const isOver = this.over || one.task.partition.ended.aborted;
      const isFree = this.queue.length === 0 && this.permitted < this.options.permits && !this.isFull;
      if (isOver || isFree) {
        this.permitted++;
        one.grant();
      } else this.queue.push(one);
    }
  }
}
