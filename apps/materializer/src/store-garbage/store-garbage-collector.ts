import { auditStream } from '#api';
import { within } from '#async';
import { streamNameOf } from '#event';
import type { Definitions } from '#registry';
import { isRetryableStoreError, type EventRemover } from '#store';
import type { Logger } from '#telemetry';
import type { RemovalTask } from './removal-task.js';
import { ErasureRepeater } from './erasure-repeater.js';
import { StreamDeletionFinisher } from './stream-deletion-finisher.js';
import { retentionTasks, type RetentionDependencies } from './retention.js';
import { deletedEvents, deletionErrors } from '../metrics/materializer-metrics.js';

/** Maximum milliseconds between two checks for unfinished stream deletions. */
const longestPauseMs = 60_000;
/**
 * Milliseconds between two purges of the store. A purge rewrites every ClickHouse part that has removed rows, so it is
 * expensive.
 */
const purgeEveryMs = 3_600_000;
const stopMs = 2_000;
/** Milliseconds before the first round, because Kafka still assigns partitions when the process starts. */
const firstPauseMs = 10_000;

export interface StoreGarbageCollectorOptions extends RetentionDependencies {
  definitions: Pick<Definitions, 'streams' | 'erasures' | 'finishDeletion'>;
  eraser: EventRemover;
  /**
   * Returns whether partition 0 of the stream is assigned to this process. Only the owner of partition 0 removes the
   * garbage of a stream.
   */
  holds: (stream: string) => boolean;
  /** Removes the verdicts on records that Kafka no longer has. Resolves with the number of removed offset ranges. */
  removeOldVerdicts: () => Promise<number>;
  logger: Logger;
  /** Milliseconds between two rounds of the store garbage collection over all streams. */
  intervalMs: number;
}

/**
 * The store garbage collection, which the materializer runs in the background. The garbage collector removes events
 * whose retention has passed, rows of erased entities and deleted streams that were inserted late, and the remains of
 * unfinished stream deletions. The tasks of the garbage collection run one at a time. A task that fails is logged,
 * counted, and retried in the next round.
 */
export class StoreGarbageCollector {
  private readonly repeats: ErasureRepeater;
  private readonly deletions: StreamDeletionFinisher;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private stopped = false;
  private roundAt = -Infinity;
  private purgedAt = -Infinity;

  constructor(private readonly options: StoreGarbageCollectorOptions) {
    const { eraser, definitions } = options;
    this.repeats = new ErasureRepeater(eraser);
    this.deletions = new StreamDeletionFinisher(definitions, eraser);
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
    this.running = this.doWhatIsDue();
    return this.running;
  }

  private async doWhatIsDue(): Promise<void> {
    const now = this.options.now();
    if (this.options.holds(auditStream))
      for (const chore of this.deletions.due(now)) if (!(await this.done(chore))) return;
    if (now - this.roundAt < this.options.intervalMs) return;
    for (const chore of this.round(now)) if (!(await this.done(chore))) return;
    this.roundAt = now;
  }

  private *round(now: number): Generator<RemovalTask> {
    const { definitions, holds } = this.options;
    for (const stream of definitions.streams())
      if (stream.state === 'live' && holds(stream.stream)) yield* retentionTasks(stream, this.options);
    yield* this.repeats.due(
      definitions.erasures.all().filter(({ stream }) => holds(streamNameOf(stream))),
      now,
    );
    if (!holds(auditStream) || now - this.purgedAt < purgeEveryMs) return;
    yield { reason: 'late', stream: '', run: () => this.removeLate() };
    yield { reason: 'verdicts', stream: '', run: () => this.removeOldVerdicts() };
    yield this.purge(now);
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

  private purge(now: number): RemovalTask {
    const run = async (): Promise<number> => {
      await this.options.eraser.purge();
      this.purgedAt = now;
      return 0;
    };
    return { reason: 'purge', stream: '', run };
  }

  /** Runs a task. Returns false if the remaining tasks of this round should not run. */
  private async done({ reason, stream, run }: RemovalTask): Promise<boolean> {
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
