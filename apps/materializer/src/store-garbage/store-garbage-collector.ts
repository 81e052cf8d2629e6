import { auditStream, durationMs } from '#api';
import { within } from '#async';
import { streamNameOf, type StreamId, type TopicAndGroupNames } from '#event';
import type { TopicAdmin } from '#kafka';
import { systemActor, type Definitions, type StreamDefinition } from '#registry';
import { isRetryableStoreError, type EventRemover } from '#store';
import type { Logger } from '#telemetry';
import { deletedEvents, deletionErrors } from '../metrics/materializer-metrics.js';
import { ErasureRepeater, type RemovalTask } from './erasure-repeater.js';

/** Maximum milliseconds between two checks for unfinished stream deletions. */
const longestPauseMs = 60_000;
/** Milliseconds for which the process that began a stream deletion has time to finish the deletion itself. */
const deletionPatienceMs = 60_000;
/**
 * Milliseconds between two purges of the store. A purge rewrites every ClickHouse part that has removed rows, so it is
 * expensive.
 */
const purgeEveryMs = 3_600_000;
const stopMs = 2_000;
/** Milliseconds before the first round, because Kafka still assigns partitions when the process starts. */
const firstPauseMs = 10_000;

export interface StoreGarbageCollectorOptions {
  definitions: Pick<Definitions, 'streams' | 'erasures' | 'finishDeletion'>;
  eraser: EventRemover;
  admin: Pick<TopicAdmin, 'offsets'>;
  topics: TopicAndGroupNames;
  /**
   * Returns whether partition 0 of the stream is assigned to this process. Only the owner of partition 0 removes the
   * garbage of a stream.
   */
  holds: (stream: string) => boolean;
  /** Removes the verdicts on records that Kafka no longer has. Resolves with the number of removed offset ranges. */
  removeOldVerdicts: () => Promise<number>;
  logger: Logger;
  /** Returns the current time in milliseconds since 1970. */
  now: () => number;
  /** Milliseconds between two rounds of the store garbage collection over all streams. */
  intervalMs: number;
}

/**
 * The store garbage collection, which the materializer runs in the background. The garbage collector removes events
 * whose retention has passed, rows of erased entities and deleted streams that were inserted late, and the remains of
 * stream deletions whose process ended before the deletion was complete. The tasks of the garbage collection run one at
 * a time. A task that fails is logged, counted, and retried in the next round.
 */
export class StoreGarbageCollector {
  private readonly repeater: ErasureRepeater;
  /** Time at which each unfinished stream deletion was first seen, in milliseconds since 1970. */
  private readonly deletions = new Map<StreamId, number>();
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private stopped = false;
  private roundAt = -Infinity;
  private purgedAt = -Infinity;

  constructor(private readonly options: StoreGarbageCollectorOptions) {
    this.repeater = new ErasureRepeater(options.eraser);
  }

  start(): void {
    this.schedule(firstPauseMs);
  }

  /**
   * Starts no further task. Resolves when the running task ends or a timeout passes; a task tolerates being interrupted
   * at any point.
   */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await within(stopMs, Promise.resolve(this.running), () => undefined);
  }

  /** Runs the tasks of the garbage collection whose time has come. Never rejects. */
  sweep(): Promise<void> {
    this.running = this.runDueTasks();
    return this.running;
  }

  private async runDueTasks(): Promise<void> {
    const now = this.options.now();
    if (this.options.holds(auditStream))
      for (const task of this.deletionTasks(now)) if (!(await this.run(task))) return;
    if (now - this.roundAt < this.options.intervalMs) return;
    for (const task of this.round(now)) if (!(await this.run(task))) return;
    this.roundAt = now;
  }

  private *round(now: number): Generator<RemovalTask> {
    const { definitions, holds } = this.options;
    for (const stream of definitions.streams())
      if (stream.state === 'live' && holds(stream.stream)) yield* this.retentionTasks(stream);
    const erasures = definitions.erasures.all().filter(({ stream }) => holds(streamNameOf(stream)));
    yield* this.repeater.due(erasures, now);
    if (!holds(auditStream) || now - this.purgedAt < purgeEveryMs) return;
    yield { reason: 'late', stream: '', run: () => this.removeLate() };
    yield { reason: 'verdicts', stream: '', run: () => this.removeOldVerdicts() };
    yield { reason: 'purge', stream: '', run: () => this.purge(now) };
  }

  /** Returns a task for each unfinished stream deletion that was first seen at least a minute ago. */
  private deletionTasks(now: number): RemovalTask[] {
    const { definitions, eraser } = this.options;
    const deleting = definitions.streams().filter(({ state }) => state === 'deleting');
    const ids = new Set(deleting.map(({ id }) => id));
    for (const id of this.deletions.keys()) if (!ids.has(id)) this.deletions.delete(id);
    for (const id of ids) if (!this.deletions.has(id)) this.deletions.set(id, now);
    const finish = async (id: StreamId): Promise<number> => {
      await definitions.finishDeletion(id, (one) => eraser.dropStream(one), systemActor);
      return 0;
    };
    return [...this.deletions]
      .filter(([, seenAt]) => now - seenAt >= deletionPatienceMs)
      .map(([id]) => ({ reason: 'deleted', stream: streamNameOf(id), run: () => finish(id) }));
  }

  /** Yields the tasks that remove the rows of a stream whose retention has passed. */
  private *retentionTasks({ stream, retention, id }: StreamDefinition): Generator<RemovalTask> {
    if (retention === 'unlimited') return;
    const { time, bytes } = retention;
    if (time !== undefined) yield { reason: 'time', stream, run: () => this.expire(id, durationMs(time)) };
    if (bytes !== undefined) yield { reason: 'bytes', stream, run: () => this.truncate(id) };
  }

  private expire(stream: StreamId, keptMs: number): Promise<number> {
    const { eraser, now } = this.options;
    return eraser.expire({ stream, before: (now() - keptMs) * 1000 });
  }

  /** Removes from the store the events whose records Kafka has deleted because of the topic's size limit. */
  private async truncate(stream: StreamId): Promise<number> {
    const { eraser, admin, topics } = this.options;
    let removed = 0;
    for (const { partition, beginning } of await admin.offsets(topics.ofStream(stream)))
      if (beginning > 0) removed += await eraser.truncate({ stream, partition, before: beginning });
    return removed;
  }

  /**
   * Removes rows that were inserted after their stream was deleted. No query returns such rows, so their removal is not
   * urgent.
   */
  private async removeLate(): Promise<number> {
    // `removeLate` returns a number of streams, but the metric counts events.
    await this.options.eraser.removeLateRows();
    return 0;
  }

  private async removeOldVerdicts(): Promise<number> {
    const { removeOldVerdicts, logger } = this.options;
    const ranges = await removeOldVerdicts();
    if (ranges > 0)
      logger.info({ ranges }, 'removed verdicts on records that the log does not have any more');
    return 0;
  }

  private async purge(now: number): Promise<number> {
    await this.options.eraser.purge();
    this.purgedAt = now;
    return 0;
  }

  /** Runs a task. Returns false if the remaining tasks of this round should not run. */
  private async run({ reason, stream, run }: RemovalTask): Promise<boolean> {
    if (this.stopped) return false;
    const { logger } = this.options;
    try {
      const events = await run();
      deletedEvents.inc({ reason }, events);
      if (events > 0 || reason === 'deleted') logger.info({ stream, reason, events }, 'removed');
      return true;
    } catch (error) {
      deletionErrors.inc({ reason });
      logger.warn({ err: error, stream, reason }, 'rows could not be removed; a later round tries again');
      return !isRetryableStoreError(error);
    }
  }

  private schedule(ms: number): void {
    this.timer = setTimeout(() => {
      void this.sweep().then(() => {
        if (!this.stopped) this.schedule(Math.min(longestPauseMs, this.options.intervalMs));
      });
    }, ms);
    this.timer.unref();
  }
}
