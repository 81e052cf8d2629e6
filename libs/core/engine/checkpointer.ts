import type { OwnedPartition } from './owned-partition.js';
import { WriteBehindQueue } from './write-behind-queue.js';

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

/**
 * Saves the changes of many partition tasks together in one write to the store, and then commits the consumer group
 * offsets of their partitions. So the inserts are few and large, however many projections or pipelines run. Permits
 * limit the unsaved changes, and the number of tasks that read keys from the store at the same time.
 */
export class Checkpointer<
  Task extends CheckpointedTask<Saving>,
  Saving extends UnsavedTaskChanges,
> extends WriteBehindQueue<Task> {
  constructor(private readonly options: CheckpointerOptions<Task, Saving>) {
    super({ rows: options.most.keys, weight: options.most.weight }, (error) => options.onFailure(error));
  }

  /** Schedules a save of the task's changes; has no effect if the partition was revoked. */
  add(task: Task): void {
    if (!task.partition.ended.aborted) this.enqueue(task);
  }

  /** Removes a revoked task without saving its changes: the next owner of its partition reads the records again. */
  drop(task: Task): void {
    this.remove(new Set([task]));
  }

  protected rowsOf(task: Task): number {
    return task.unsavedCount;
  }

  protected weightOf(task: Task): number {
    return task.unsavedWeight;
  }

  protected get hasRoom(): boolean {
    return this.granted < this.options.permits && !this.isFull;
  }

  protected get spacingMs(): number {
    const allBehind = [...this.waiting.keys()].every((task) => task.isBehind);
    const usualMs = this.options.intervalMs * (allBehind ? restBehind : 1);
    return this.isAwaited ? Math.min(awaitedMs, usualMs) : usualMs;
  }

  protected async write(tasks: readonly Task[]): Promise<void> {
    const unsaved = tasks.flatMap((task) => {
      const saving = task.unsaved();
      return saving ? { task, saving } : [];
    });
    if (unsaved.length === 0) return;
    await this.options.save(unsaved.map(({ saving }) => saving));
    for (const { task, saving } of unsaved) {
      saving.saved();
      this.options.saved(task);
      task.partition.commit(saving.progress.next);
    }
  }
}
