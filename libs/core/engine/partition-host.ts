import { withAnySignal } from '#async';
import { IdWindowLostError } from '#dataflow';
import {
  partitionKey,
  UnknownTopicError,
  type NewlyAssignedPartition,
  type Consumer,
  type ConsumerHandler,
  type Log,
  type ConsumerRecord,
  type RecordBatch,
  type TopicPartition,
} from '#kafka';
import type { Logger } from '#telemetry';
import { aborted } from './aborted.js';
import { reportLostRecords } from './lost-records.js';
import { OwnedPartition } from './owned-partition.js';
import { FencedError, type PartitionTask, type TaskFactory } from './partition-task.js';
import type { StalledConsumerDetector } from './progress.js';
import type { KafkaOrClickHouseRetrier } from './retry.js';
import { logTimeAt } from './warm-up.js';

/** Consumer group, tasks and checkpointer of a `PartitionTaskHost`. */
interface PartitionHostOptions<Task extends PartitionTask> {
  /** Name under which the lag of the host's partitions is exported. */
  name: string;
  group: string;
  /** The kind of consumer under which lost records are reported; default: `processor`. */
  kind?: 'processor' | 'scrub' | 'gateway';
  /** See `ConsumerOptions.collectMs`. */
  collectMs?: number;
  log: Pick<Log, 'consumer'>;
  tasks: TaskFactory<Task>;
  /** Saves the changes of tasks; undefined if tasks save them themselves. */
  checkpointer?: { drop(task: Task): void; flush(): Promise<void> };
  retry: KafkaOrClickHouseRetrier;
  logger: Logger;
  progress: Pick<StalledConsumerDetector, 'moved'>;
  /** The clock: returns the current time in milliseconds since 1970. */
  now: () => number;
  /** Called when a task has failed for good. Its partition is not processed further. */
  onFailure(error: unknown): void;
}

interface Owned<Task> {
  readonly partition: OwnedPartition;
  task?: Task;
  /** Whether the id window of the task has been given its first log time. */
  warmedUp: boolean;
}

/** Milliseconds within which several calls for the same topic or partition cause one reassignment. */
const reassignMs = 100;
/** Without an id window: records below the task's first offset that are read; if more, the partition is reassigned. */
const passedRecords = 200_000;

/**
 * Consumes topics in its own consumer group. The host opens a task for each assigned partition, warms up the task's id
 * window, and passes batches to the task. An offset is committed only after all records below it are saved.
 */
export class PartitionTaskHost<Task extends PartitionTask> implements ConsumerHandler {
  private readonly owned = new Map<string, Owned<Task>>();
  private readonly consumer: Consumer;
  /** Timers of the topics and partitions that are to be reassigned. */
  private readonly reassignments = new Map<string, NodeJS.Timeout>();
  /** Batches that are being processed. */
  private readonly running = new Set<Promise<void>>();
  private readonly closing = new AbortController();
  /** Aborted when waiting `batch` calls may return: their records are not saved. */
  private readonly released = new AbortController();
  private subscribed = '';

  constructor(private readonly options: PartitionHostOptions<Task>) {
    const { log, group, collectMs } = options;
    this.consumer = log.consumer({
      group,
      collectMs,
      handler: this,
      onCrash: (error) => options.onFailure(error),
    });
  }

  /** Iterates over the open tasks of this host, one for each owned partition that has one. */
  *[Symbol.iterator](): Iterator<Task> {
    for (const { task } of this.owned.values()) if (task) yield task;
  }

  /** See `Consumer.fetchNow`. */
  fetchNow(): void {
    this.consumer.fetchNow();
  }

  get isClosing(): boolean {
    return this.closing.signal.aborted;
  }

  /** Replaces the set of consumed topics. */
  async subscribe(topics: readonly string[]): Promise<void> {
    const desired = [...topics].sort();
    if (this.isClosing || this.subscribed === desired.join()) return;
    this.subscribed = desired.join();
    await this.consumer.subscribe(desired);
  }

  /** Reopens the tasks of the topic's partitions, or one of them, soon, because what they were opened with has changed. */
  reassign(topic: string, partition?: number): void {
    const key = partition === undefined ? topic : partitionKey({ topic, partition });
    if (this.reassignments.has(key)) return;
    const reassign = (): void => {
      this.reassignments.delete(key);
      this.consumer.reassign(topic, partition);
    };
    this.reassignments.set(key, setTimeout(reassign, reassignMs));
  }

  async assigned(assignment: NewlyAssignedPartition): Promise<number> {
    const { kind = 'processor', logger } = this.options;
    reportLostRecords(assignment, assignment.lost, { consumer: kind, logger });
    const owned: Owned<Task> = { partition: this.partitionOf(assignment), warmedUp: false };
    this.drop(partitionKey(assignment));
    this.owned.set(partitionKey(assignment), owned);
    const { partition } = owned;
    try {
      await partition.look();
      const task = await this.options.tasks.open(partition);
      if (task === 'not-mine') return assignment.position;
      if (partition.ended.aborted) task.close();
      partition.ended.throwIfAborted();
      owned.task = task;
      return task.start;
    } catch (error) {
      if (partition.ended.aborted) return assignment.position;
      // The topic was just deleted: the consumer waits for it, and it is assigned again.
      if (error instanceof UnknownTopicError) this.reassign(assignment.topic, assignment.partition);
      else await this.fail(error, partition);
      return assignment.position;
    }
  }

  async batch(batch: RecordBatch): Promise<void> {
    const owned = this.owned.get(partitionKey(batch));
    if (!owned || this.isClosing) return await this.untilReleased();
    const { partition, task } = owned;
    if (!task) return await this.assignAgain(partition);
    const processing = this.process(owned, task, batch);
    this.running.add(processing);
    try {
      await processing;
    } catch (error) {
      if (!partition.ended.aborted) await this.fail(error, partition);
    } finally {
      this.running.delete(processing);
    }
    await this.untilReleased();
  }

  revoked(partition: TopicPartition): void {
    this.drop(partitionKey(partition));
    if (!this.isClosing) this.options.tasks.revoked?.(partition.topic);
  }

  /** Saves the current batches and leaves the group. What is not saved before `givenUp` resolves is read again. */
  async stop(givenUp: Promise<unknown>): Promise<void> {
    this.closing.abort();
    for (const timer of this.reassignments.values()) clearTimeout(timer);
    const done = Promise.allSettled(this.running)
      .then(() => this.options.checkpointer?.flush())
      .then(() => Promise.all([...this].map(({ partition }) => partition.settled())));
    await Promise.race([done, givenUp]);
    for (const key of [...this.owned.keys()]) this.drop(key);
    this.released.abort();
    await this.consumer.close();
  }

  private partitionOf(assignment: NewlyAssignedPartition): OwnedPartition {
    const { topic, partition } = assignment;
    return new OwnedPartition(assignment, {
      ...this.options,
      closing: this.closing.signal,
      commit: (next) => this.consumer.commit(topic, partition, next),
    });
  }

  private async process(owned: Owned<Task>, task: Task, batch: RecordBatch): Promise<void> {
    const { partition } = owned;
    const { from, window } = task;
    if (from > partition.assignment.position) await partition.commits.offer(from);
    if (from - batch.next > 2 * (window?.bounds.records ?? passedRecords)) {
      // After a reassignment, reading begins at the committed offset and skips the records between.
      this.reassign(batch.topic, batch.partition);
      return await withAnySignal([partition.ended, this.closing.signal], aborted);
    }
    partition.end = Math.max(partition.end, batch.highWatermark);
    await task.ready;
    await this.warmUp(owned, task, batch.records[0]);
    await task.take(batch);
    partition.ended.throwIfAborted();
    if (batch.next <= from) this.options.progress.moved();
  }

  private async warmUp(owned: Owned<Task>, { window }: Task, first?: ConsumerRecord): Promise<void> {
    if (owned.warmedUp || !first || !window) return;
    const { assignment, ended } = owned.partition;
    window.startAt(await this.options.retry.run('log', ended, () => logTimeAt(assignment, first)));
    owned.warmedUp = true;
  }

  private drop(key: string): void {
    const owned = this.owned.get(key);
    if (!owned) return;
    this.owned.delete(key);
    owned.partition.revoke();
    if (!owned.task) return;
    this.options.checkpointer?.drop(owned.task);
    owned.task.close();
  }

  /** Discards a batch without an open task; the reassignment lets a task that opens later read its records. */
  private async assignAgain(partition: OwnedPartition): Promise<void> {
    this.reassign(partition.topic, partition.partition);
    await this.untilLost(partition);
  }

  private async fail(error: unknown, partition: OwnedPartition): Promise<void> {
    if (error instanceof IdWindowLostError) {
      const { topic, partition: number } = partition;
      const said = 'A task is opened again, because it cannot use its id window any longer';
      this.options.logger.info({ topic, partition: number, reason: error.message }, said);
    }
    if (error instanceof FencedError || error instanceof IdWindowLostError)
      return await this.assignAgain(partition);
    this.options.onFailure(error);
    await this.untilLost(partition);
  }

  private async untilLost(partition: OwnedPartition): Promise<void> {
    await withAnySignal([partition.ended, this.released.signal], aborted);
  }

  /** Waits, if the host is closing, until batches may return whose records are not saved. */
  private async untilReleased(): Promise<void> {
    if (this.isClosing) await aborted(this.released.signal);
  }
}
