import {
  KafkaOrClickHouseRetrier,
  MaterializedOffsetReader,
  PartitionTaskHost,
  warmUpStart,
  type OwnedPartition,
  type TaskFactory,
} from '#engine';
import type { StreamId, TopicAndGroupNames } from '#event';
import type { Log, NewlyAssignedPartition, TopicPartition } from '#kafka';
import type { VerdictTable } from '#verdicts';
import { RateLimit } from './rate-limit.js';
import type { ScrubDependencies } from './scrub-dependencies.js';
import { scrubErrors } from './scrub-metrics.js';
import { noTotals, ScrubPasses, type BegunPass } from './scrub-passes.js';
import { ScrubSlots } from './scrub-slots.js';
import { ScrubTask } from './scrub-task.js';

export interface ScrubOptions extends Pick<
  ScrubDependencies,
  'writer' | 'reader' | 'erasures' | 'window' | 'inserts' | 'logger'
> {
  log: Log;
  topics: TopicAndGroupNames;
  verdicts: ScrubDependencies['verdicts'] & Pick<VerdictTable, 'readyIfUsed' | 'upToDate'>;
  /** Maximum number of events that the process compares in a second. */
  eventsPerSecond: number;
  /** Milliseconds between the starts of two passes over a partition. */
  intervalMs: number;
  /** Keeps the progress of requested passes. */
  progress: ScrubDependencies['progress'];
  /** Called with stored events that the log does not have. */
  onUnlogged?: ScrubDependencies['onUnlogged'];
  /** Returns the current time in milliseconds since 1970. */
  now?: () => number;
  /** Age in milliseconds from which records are compared, by a pass that is due and by one that was requested. */
  settleMs?: { due: number; requested: number };
  /** Milliseconds before the scrub is started again after a failure. */
  restartMs?: number;
}

/** Time limit in milliseconds of one attempt to read the verdicts; a failed attempt is repeated. */
const upToDateMs = 10_000;
const defaultRestartMs = 60_000;
/** Milliseconds: younger records are not compared. */
const defaultSettleMs = { due: 300_000, requested: 10_000 };
/** The greatest time of JavaScript, in milliseconds since 1970: no record is later. */
const endOfTime = 8.64e15;

/**
 * The scrub: compares the log and the store in the background, and repairs the store from the log. It is a second reader
 * of the streams' topics, in a consumer group of its own, and reads no faster than it is allowed to. A failure of the
 * scrub is logged and counted, and does not affect the materializer.
 */
export class Scrub {
  private readonly dependencies: ScrubDependencies;
  private readonly materialized: MaterializedOffsetReader;
  private host: PartitionTaskHost<ScrubTask>;
  private topics: string[] = [];
  private restart: NodeJS.Timeout | undefined;
  private closed = false;
  private lastInsert: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: ScrubOptions) {
    const { log, topics, logger, now = Date.now, eventsPerSecond, intervalMs } = options;
    const retry = new KafkaOrClickHouseRetrier({ logger });
    this.materialized = new MaterializedOffsetReader({ admin: log.admin, topics, retry });
    this.dependencies = {
      ...options,
      admin: log.admin,
      retry,
      rate: new RateLimit(eventsPerSecond),
      passes: new ScrubPasses(intervalMs, now),
      slots: new ScrubSlots(),
      onUnlogged: options.onUnlogged ?? (async () => undefined),
      serially: (insert) => this.serially(insert),
      reassign: ({ topic, partition }) => this.host.reassign(topic, partition),
      failed: (error, partition) => this.failed(error, partition),
    };
    this.host = this.newHost();
  }

  /** Scrubs the streams with these ids. Never rejects. */
  async subscribe(ids: readonly StreamId[]): Promise<void> {
    this.topics = ids.map((id) => this.options.topics.ofStream(id));
    this.dependencies.passes.keepOnly(new Set(this.topics));
    await this.subscribeHost();
  }

  /**
   * Begins a pass over each assigned partition of the topic, without the limit of the rate: now, or when the pass of an
   * earlier request is complete. A partition whose pass for this request is complete begins none.
   */
  begin(topic: string, request: string): void {
    this.dependencies.passes.request(topic, request);
    if (this.topics.includes(topic)) this.host.reassign(topic);
  }

  /** Stops the scrub, and resolves when it has left its consumer group. The next start continues the pass. */
  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.restart);
    await this.host.stop(Promise.resolve());
  }

  private newHost(): PartitionTaskHost<ScrubTask> {
    const { log, topics, logger, now = Date.now } = this.options;
    const tasks: TaskFactory<ScrubTask> = { open: (partition) => this.open(partition) };
    return new PartitionTaskHost({
      ...{ name: 'scrub', kind: 'scrub', group: topics.scrubGroup, log, tasks, logger, now },
      retry: this.dependencies.retry,
      progress: { moved: () => undefined },
      onFailure: (error) => this.startAgain(error),
    });
  }

  private async subscribeHost(): Promise<void> {
    if (this.closed || this.restart) return;
    try {
      await this.host.subscribe(this.topics);
    } catch (error) {
      this.startAgain(error);
    }
  }

  private failed(error: unknown, partition?: TopicPartition): void {
    scrubErrors.inc();
    this.options.logger.error(
      { err: error as Error, ...partition },
      'the scrub has failed and tries again later',
    );
  }

  /** Replaces the consumer later. */
  private startAgain(error: unknown): void {
    this.failed(error);
    if (this.closed || this.restart) return;
    const { host } = this;
    this.restart = setTimeout(() => {
      void host
        .stop(Promise.resolve())
        .catch((reason: unknown) => this.failed(reason))
        .then(() => {
          this.restart = undefined;
          if (this.closed) return;
          this.host = this.newHost();
          return this.subscribeHost();
        });
    }, this.options.restartMs ?? defaultRestartMs).unref();
  }

  /** Opens the task of a partition: the pass continues at the committed offset, or begins if it is due. */
  private async open(partition: OwnedPartition): Promise<ScrubTask | 'not-mine'> {
    const { topics, window, now = Date.now } = this.options;
    const { retry } = this.dependencies;
    const { assignment, ended } = partition;
    const { topic, partition: number, position } = assignment;
    const stream = topics.streamOf(topic);
    const stored = stream && (await this.materialized.of(assignment, ended));
    if (!stream || stored === undefined) return 'not-mine';
    const begun = await this.begun(assignment, stream, ended);
    const until = Math.min(stored, await this.settledOffset(assignment, !!begun?.requests.length, ended));
    const pass = { stream, topic, partition: number, until };
    if (!begun)
      return new ScrubTask(this.dependencies, partition, {
        ...pass,
        ...{ start: position, from: position, isDue: false },
      });
    await this.learnVerdicts(ended);
    const { fromTheStart, requests, totals } = begun;
    const { beginning } = assignment;
    if (fromTheStart) partition.commitFrom(beginning - 1);
    const start = fromTheStart
      ? beginning
      : await retry.run('log', ended, () => warmUpStart(assignment, window, now()));
    const from = fromTheStart ? beginning : position;
    return new ScrubTask(this.dependencies, partition, {
      ...pass,
      requests,
      totals,
      start,
      from,
      isDue: true,
    });
  }

  /** Begins or continues the pass of a partition: see `ScrubPasses.begin`. Saves that the pass for new requests has begun. */
  private async begun(
    { topic, partition }: NewlyAssignedPartition,
    stream: StreamId,
    ended: AbortSignal,
  ): Promise<BegunPass | undefined> {
    const { passes, retry, progress } = this.dependencies;
    const saved = await retry.run('store', ended, () => progress.inPartition(stream, partition));
    const begun = passes.begin({ topic, partition }, saved);
    if (!begun?.unsaved.length) return begun;
    const row = { stream, partition, ...noTotals, is_complete: false, updated_at: Date.now() * 1000 };
    const rows = begun.unsaved.map((request) => ({ request, ...row }));
    await retry.run('store', ended, () => progress.save(rows));
    return begun;
  }

  /**
   * Returns the offset below which the log is older than a while. The committed offset of the materializer is of no use shortly
   * after Kafka has lost the end of the log: below it are new records that the materializer has not stored yet.
   */
  private async settledOffset(
    assignment: NewlyAssignedPartition,
    isRequested: boolean,
    ended: AbortSignal,
  ): Promise<number> {
    const { settleMs = defaultSettleMs, now = Date.now } = this.options;
    const age = isRequested ? settleMs.requested : settleMs.due;
    const time = age === 0 ? endOfTime : now() - age;
    const offset = await this.dependencies.retry.run('log', ended, () => assignment.offsetAt(time));
    return Math.min(offset, assignment.lost?.from ?? offset);
  }

  /** Resolves when the table has the verdicts on all records that the materializer has stored. */
  private async learnVerdicts(signal: AbortSignal): Promise<void> {
    const { verdicts } = this.options;
    const { retry } = this.dependencies;
    if (await retry.run('log', signal, () => verdicts.readyIfUsed()))
      await retry.run('log', signal, () => verdicts.upToDate(upToDateMs));
  }

  private serially<T>(insert: () => Promise<T>): Promise<T> {
    const inserting = this.lastInsert.then(insert);
    this.lastInsert = inserting.catch(() => undefined);
    return inserting;
  }
}
