import { MemoryBudget } from '#dataflow';
import { KafkaOrClickHouseRetrier, logTimeAt, sampledRequests, withWriteTrace, WorkShutdown } from '#engine';
import type { StreamId } from '#event';
import type {
  ConsumerHandler,
  ConsumerRecord,
  Log,
  MemoryShare,
  NewlyAssignedPartition,
  RecordBatch,
  TopicPartition,
} from '#kafka';
import type { Tracing } from '#telemetry';
import { VerdictPublisher, VerdictTable } from '#verdicts';
import { ConditionalWriteCoordinator } from './decide/conditional-write-coordinator.js';
import { DecidedMarkPublisher } from './decide/decided-mark-publisher.js';
import { IdHistoryLoader } from './fetch/id-history-loader.js';
import { splitBatch } from './fetch/split-batch.js';
import { eraseUnstored } from './insert/erase-unstored.js';
import { EventInserter } from './insert/event-inserter.js';
import type { InsertLimits } from './insert/insert-queue.js';
import { InsertQueues } from './insert/insert-queues.js';
import { insertSpans } from './insert/insert-spans.js';
import {
  consumeLastProgress,
  consumeRecords,
  duplicatesDropped,
  erasedSkipped,
  eventFreshness,
} from './metrics/materializer-metrics.js';
import { EntityVersionCache } from './number/entity-version-cache.js';
import { eventsWithoutRecord, storedAmong, type StoredEvents } from './number/stored-event-lookup.js';
import { AssignedPartitions } from './partition/assigned-partitions.js';
import {
  estimatedBytesOf,
  pendingBatchOf,
  type MaterializedPartition,
  type PendingBatch,
} from './partition/materialized-partition.js';
import type { MaterializerDependencies } from './partition/materializer-dependencies.js';
import { deadLettersOf } from './rows/dead-letters.js';
import type { UnversionedBatch } from './rows/partition-row-builder.js';
import type { InsertErasureRepeater } from './store-garbage/insert-erasure-repeater.js';
import { LostEndRecovery, type LostEndRecoveryOptions } from './write-back/lost-end-recovery.js';

export interface MaterializerOptions extends Pick<
  MaterializerDependencies,
  'writer' | 'topics' | 'logger' | 'progress' | 'erasures' | 'window' | 'far'
> {
  log: Log;
  eraser: LostEndRecoveryOptions['eraser'];
  /** Maximum number of stored events of a partition that are written to Kafka again after it has lost them. */
  writeBackEvents: number;
  /** Maximum bytes in memory of the ids that have left the id window, of all partitions together. */
  farBytes: number;
  /** Number of entities whose latest version is cached in memory. */
  cachedEntities: number;
  limits: InsertLimits;
  /**
   * Receives the start and the end of each insert. An erasure that this process did not know when an insert began is
   * repeated after the insert.
   */
  inserts?: Pick<InsertErasureRepeater, 'begin' | 'end'>;
  /** See `AssignedPartitionsOptions.leaderMs`. */
  leaderMs?: number;
  tracing?: Tracing | undefined;
  retryDelays?: { firstDelayMs: number; longestDelayMs: number };
  /** Returns the current time in milliseconds since 1970. */
  now?: () => number;
  /** Called once, when the materializer cannot continue. The caller should end the process. */
  onFailure(error: Error): void;
}

/** Milliseconds within which a fetch of new records from Kafka usually ends. */
const fetchMs = 10;

const streamCounters = [consumeRecords, duplicatesDropped, erasedSkipped];

/**
 * Reads the events of all streams from Kafka and stores them in ClickHouse. The path of a batch of records: fetch (the
 * consumer calls `batch`) → decide, which also builds the rows → number → insert → commit. An offset is committed only after all events
 * below the offset are stored or have become dead letters. After a crash, the uncommitted records are read again
 * and yield the same rows.
 */
export class Materializer implements ConsumerHandler {
  readonly dependencies: MaterializerDependencies;
  readonly assignments: AssignedPartitions;
  private readonly recovery: LostEndRecovery;
  private readonly histories: IdHistoryLoader;
  private readonly conditional: ConditionalWriteCoordinator;
  private readonly marks: DecidedMarkPublisher;
  private readonly queues: InsertQueues;
  private readonly inserter: EventInserter;
  private readonly shutdown: WorkShutdown;
  private closing = false;
  /** Resolves when blocked calls of `batch` may return, because the records of those calls will not be stored. */
  private readonly released: Promise<void>;
  private release!: () => void;

  constructor(private readonly options: MaterializerOptions) {
    const { log, writer, topics, logger, progress, erasures, window, far, retryDelays } = options;
    this.shutdown = new WorkShutdown((error) => options.onFailure(error));
    this.released = new Promise((resolve) => (this.release = resolve));
    const verdicts = new VerdictTable({ log, names: topics });
    const dependencies: MaterializerDependencies = {
      topics,
      writer,
      logger,
      progress,
      erasures,
      window,
      far,
      verdicts,
      publisher: new VerdictPublisher({ table: verdicts, names: topics, producer: () => log.producer() }),
      retry: new KafkaOrClickHouseRetrier({
        logger,
        failedAttempt: () => progress.attempted(),
        ...retryDelays,
      }),
      consumer: log.consumer({
        group: topics.materializerGroup,
        handler: this,
        onCrash: (error) => this.shutdown.fail(error),
      }),
      now: options.now ?? Date.now,
    };
    this.dependencies = dependencies;
    this.recovery = new LostEndRecovery({
      ...dependencies,
      eraser: options.eraser,
      producer: () => log.producer(),
      mostEvents: options.writeBackEvents,
    });
    this.assignments = new AssignedPartitions({
      ...dependencies,
      recovery: this.recovery,
      leaderMs: options.leaderMs,
      versions: new EntityVersionCache(options.cachedEntities),
      farMemory: new MemoryBudget(options.farBytes),
      dropped: (state) => this.queues.drop(state),
      inserted: (shard) => this.queues.flush(shard),
    });
    this.histories = new IdHistoryLoader(dependencies);
    this.conditional = new ConditionalWriteCoordinator(dependencies, this.assignments);
    this.marks = new DecidedMarkPublisher(dependencies);
    this.inserter = new EventInserter(dependencies, this.shutdown.signal);
    this.queues = new InsertQueues({
      ...options.limits,
      write: (batches) => withWriteTrace(insertSpans(options.tracing, batches), () => this.insert(batches)),
      onFailure: (error) => this.shutdown.fail(error),
    });
  }

  /**
   * The engine (Kafka or ClickHouse) to which a failed call is being repeated, and the error; undefined while no call
   * is repeated.
   */
  get complaint(): string | undefined {
    return this.dependencies.retry.complaint;
  }

  /**
   * Whether this process has joined the consumer group. The materializer stores no events before it has joined its
   * consumer group.
   */
  get joined(): boolean {
    return this.dependencies.consumer.joined;
  }

  /** Returns whether partition 0 of the stream with this name is assigned to this process now. */
  holds(stream: string): boolean {
    for (const state of this.assignments) if (state.name === stream && state.partition === 0) return true;
    return false;
  }

  /** Subscribes the consumer to the streams with these ids. Unstored events of all other streams are discarded. */
  async subscribe(ids: readonly StreamId[]): Promise<void> {
    if (this.closing) return;
    const topics = new Set(ids.map((id) => this.options.topics.ofStream(id)));
    for (const stream of this.assignments.keepOnly(topics))
      for (const counter of streamCounters) counter.remove({ stream });
    await this.dependencies.consumer.subscribe([...topics]);
  }

  /**
   * Stores the pending events of a topic early, because a reader waits for them. Has no effect for a topic whose
   * partitions are assigned to other processes.
   */
  flushSoon(topic: string): void {
    if (![...this.assignments].some((state) => state.topic === topic)) return;
    this.dependencies.consumer.fetchNow();
    // The insert is delayed until the running fetch of records has ended: an earlier insert would leave out the awaited
    // events.
    setTimeout(() => this.queues.flushSoon(), fetchMs).unref();
  }

  async assigned(assignment: NewlyAssignedPartition): Promise<number> {
    try {
      const start = await this.assignments.add(assignment);
      const { topic, partition, position } = assignment;
      this.options.logger.debug({ topic, partition, position, start }, 'partition assigned');
      return start;
    } catch (error) {
      this.shutdown.fail(error);
      await this.released;
      return assignment.position;
    }
  }

  memoryShare({ topic, partition }: TopicPartition): MemoryShare {
    const { shard, shards } = this.assignments.get(topic, partition)?.shard ?? { shard: 0, shards: 1 };
    return { name: `shard ${shard}`, shares: shards };
  }

  async batch(batch: RecordBatch): Promise<void> {
    const state = this.assignments.get(batch.topic, batch.partition);
    if (!state || this.closing) return await this.waitWhileClosing();
    state.end = Math.max(state.end, batch.highWatermark);
    for (const part of splitBatch(batch, this.options.window.records)) await this.process(state, part);
    await this.waitWhileClosing();
  }

  revoked(topicPartition: TopicPartition): void {
    const state = this.assignments.get(topicPartition.topic, topicPartition.partition);
    if (state) this.conditional.revoked(state);
    this.assignments.revoke(topicPartition);
  }

  /**
   * Stops taking batches, stores and commits the events that were read, and leaves the consumer group. Events that
   * cannot be stored within `flushMs` milliseconds are read again by the next owner of their partition.
   */
  async close(flushMs: number): Promise<void> {
    this.closing = true;
    await this.shutdown.within(flushMs, async (givenUp) => {
      await Promise.race([this.queues.flush().then(() => this.committed()), givenUp]);
    });
    this.assignments.clear();
    this.queues.abandon();
    this.release();
    await this.dependencies.consumer.close();
    await this.dependencies.verdicts.close();
  }

  private async waitWhileClosing(): Promise<void> {
    if (this.isEnding) await this.released;
  }

  /** Whether the records of further batches will not be stored by this process. */
  private get isEnding(): boolean {
    return this.closing || this.shutdown.signal.aborted;
  }

  private async committed(): Promise<void> {
    await Promise.allSettled([...this.assignments].map(({ commits }) => commits.settled()));
  }

  private async process(state: MaterializedPartition, batch: RecordBatch): Promise<void> {
    // Room in the insert queue is acquired before rows are built, so that the rows of all partitions together stay
    // within the limit of memory.
    const returnPermit = await this.queues.permit(state, estimatedBytesOf(batch));
    try {
      if (state.ended.aborted || this.isEnding) return;
      const pending = await this.materialize(state, batch);
      if (!pending) this.options.progress.moved();
      if (!pending || state.ended.aborted || this.isEnding) return;
      this.queues.add(pending);
    } catch (error) {
      if (!state.ended.aborted) this.shutdown.fail(error);
    } finally {
      returnPermit();
    }
  }

  /** Builds the rows of a batch. Returns undefined if the batch is already committed and only fills the id window. */
  private async materialize(
    state: MaterializedPartition,
    batch: RecordBatch,
  ): Promise<PendingBatch | undefined> {
    const { records, next } = batch;
    const { position } = state.assignment;
    if (records[0]) await this.warmUp(state, records[0]);
    const isBusy = state.busy.isBusyIn(records, next) && next > position;
    const stored = await this.storedIn(state, batch);
    if (!stored) return undefined;
    const { asOf } = state.erasures;
    const admitted = await this.decide(state, records, isBusy);
    state.builder.pass(next);
    if (next <= position) return undefined;
    countRecords(state, records.length, admitted);
    const { rows: all, unknown } = admitted;
    if (unknown.size > 0) await state.loadVersions(unknown, all.offsetOf(0));
    const rows = state.builder.number(admitted, storedAmong(all, stored));
    const deadLetters = deadLettersOf(state, { ...admitted, batch }, this.dependencies.now() * 1000);
    const sampled = this.options.tracing && sampledRequests(records, position);
    const pending = pendingBatchOf(batch, { state, asOf, rows, deadLetters, sampled });
    // From the moment the rows have versions: a rejected row or an erasure may lower these during the publication.
    state.unstored.push(pending);
    const hasVerdicts = await this.conditional.publish(state, admitted, { rows: admitted.rows, next });
    // Writers wait for verdicts on conditional records, so the next fetch starts at once and does not collect records
    // first.
    if (hasVerdicts) this.dependencies.consumer.fetchNow();
    if (isBusy) pending.decided = this.marks.mark(state, next, admitted.rows);
    // The insert waits for the mark and handles its failure.
    pending.decided?.catch(() => undefined);
    return pending;
  }

  private async warmUp(state: MaterializedPartition, first: ConsumerRecord): Promise<void> {
    if (state.warmedUp) return;
    const { assignment, ended } = state;
    const logTime = await this.dependencies.retry.run('log', ended, () => logTimeAt(assignment, first));
    const floor = await this.histories.load(state);
    state.window.startAt(logTime);
    state.busy.begin(first.offset, first.offset === 0 ? -Infinity : logTime, floor);
    state.warmedUp = true;
  }

  /** Decides which records become rows: none that repeats an event, is rejected, erased or unreadable. */
  private async decide(
    state: MaterializedPartition,
    records: readonly ConsumerRecord[],
    isMarked: boolean,
  ): Promise<UnversionedBatch> {
    await this.conditional.learnIfAny(state);
    const compared = await this.conditional.prepare(state, records);
    const steps = state.builder.admit(records, compared, isMarked);
    let step = steps.next();
    while (!step.done) step = steps.next(await state.acceptedOffsets(step.value));
    return step.value;
  }

  /**
   * Resolves with the events that the store already has in the offset range of a batch. If Kafka has lost the end of the log, those
   * without a record are written back; undefined if the partition must be assigned again first, because nobody knew of the loss.
   * Other events without a record stay as they are; the scrub reports them.
   */
  private async storedIn(
    state: MaterializedPartition,
    batch: RecordBatch,
  ): Promise<StoredEvents | undefined> {
    const { next } = batch;
    const { position, beginning } = state.assignment;
    const { lost, lostEnd } = state;
    const from = Math.max(position, beginning, state.builder.next);
    // The lost events beyond the end that the log had when the loss was noticed follow those before it.
    const until = lostEnd && next >= lostEnd.end ? Math.max(next, lostEnd.until) : next;
    const stored = await this.dependencies.retry.run('store', state.ended, () =>
      state.stored.in({ from, until }),
    );
    const { events, matchedUntil } = eventsWithoutRecord(stored, batch);
    if (lost) {
      const own = events.filter(({ offset }) => offset >= lost.from);
      await this.recovery.writeBack(state, own, { ended: state.ended });
      if (next >= lost.end) this.assignments.recovered(state);
      return stored;
    }
    state.matchedUntil = Math.max(state.matchedUntil, matchedUntil);
    const first = events.find(({ offset }) => offset >= state.matchedUntil)?.offset;
    if (first === undefined) return stored;
    // If the end of the log is lost, records of another leader begin after the last event that has its record. Otherwise a single
    // event has no record.
    const start = state.assignment.epochStartIn(Math.max(position, state.matchedUntil), first);
    if (start === undefined && !lostEnd) return stored;
    this.assignments.dropLost(state, start ?? first);
    this.dependencies.consumer.reassign(state.topic, state.partition);
    return undefined;
  }

  private async insert(batches: readonly PendingBatch[]): Promise<void> {
    await Promise.all(batches.flatMap(({ decided }) => decided ?? []));
    eraseUnstored(batches);
    const streams = new Set(batches.filter(({ rows }) => rows.count > 0).map(({ state }) => state.stream));
    this.options.inserts?.begin(streams);
    try {
      await this.inserter.insert(batches);
    } finally {
      this.options.inserts?.end(streams);
    }
    await this.inserter.insertDeadLetters(() =>
      batches.filter(({ state }) => !state.ended.aborted).flatMap(({ deadLetters }) => deadLetters),
    );
    this.options.progress.moved();
    consumeLastProgress.set(this.dependencies.now() / 1000);
    for (const batch of batches) this.commit(batch);
  }

  private commit({ state, rows, next, timestamp }: PendingBatch): void {
    if (rows.count > 0)
      eventFreshness.observe(Math.max(0, this.dependencies.now() / 1000 - rows.row(0).ingested_at / 1e6));
    if (state.ended.aborted) return;
    state.versions.storedUpTo = next;
    if (timestamp !== undefined) state.handledUntil = Math.max(state.handledUntil, timestamp);
    state.commits.offer(next).then(
      () => this.options.progress.moved(),
      (error: unknown) => state.ended.aborted || this.shutdown.fail(error),
    );
  }
}

function countRecords(
  { name: stream }: MaterializedPartition,
  records: number,
  { duplicates, erased }: UnversionedBatch,
): void {
  consumeRecords.inc({ stream }, records);
  if (duplicates > 0) duplicatesDropped.inc({ stream }, duplicates);
  if (erased > 0) erasedSkipped.inc({ stream }, erased);
}
