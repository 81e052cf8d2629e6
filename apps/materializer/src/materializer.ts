import {
  withWriteTrace,
  type ErasureLookup,
  logTimeAt,
  type StalledConsumerDetector,
  KafkaOrClickHouseRetrier,
  sampledRequests,
  WorkShutdown,
} from '#engine';
import type { StreamId, TopicAndGroupNames } from '#event';
import type {
  NewlyAssignedPartition,
  Consumer,
  ConsumerHandler,
  Log,
  ConsumerRecord,
  RecordBatch,
} from '#kafka';
import type { EventRowBatch } from '#store';
import { MemoryBudget, type FarDuplicateTimeLimit, type IdWindowBounds } from '#dataflow';
import type { Logger, Tracing } from '#telemetry';
import { VerdictPublisher, VerdictTable } from '#verdicts';
import { AcceptedEventOffsetLookup } from './accepted-event-offset-lookup.js';
import { AssignedPartitions } from './assigned-partitions.js';
import { estimatedBytesOf, pendingBatchOf, deadLettersOf, type PendingBatch } from './pending-batch.js';
import { ConditionalWriteCoordinator } from './conditional-write-coordinator.js';
import { DecidedMarkPublisher } from './decided-mark-publisher.js';
import { eraseUnstored } from './erase-unstored.js';
import { EventInserter } from './event-inserter.js';
import { IdHistoryLoader } from './id-history-loader.js';
import { InsertQueue, type QueueReservation } from './insert-queue.js';
import { insertSpans } from './insert-spans.js';
import type { InsertErasureRepeater } from './insert-erasure-repeater.js';
import { loadVersions } from './load-versions.js';
import type { UnversionedBatch } from './partition-row-builder.js';
import type { MaterializedPartition } from './materialized-partition.js';
import type { MaterializerStore } from './materializer-store.js';
import { splitBatch } from './split-batch.js';
import { EntityVersionCache } from './entity-version-cache.js';
import {
  consumeRecords,
  duplicatesDropped,
  erasedSkipped,
  consumeLastProgress,
  eventFreshness,
} from './materializer-metrics.js';

export interface MaterializerOptions {
  log: Log;
  writer: MaterializerStore;
  topics: TopicAndGroupNames;
  logger: Logger;
  progress: StalledConsumerDetector;
  window: IdWindowBounds;
  /** How long the ids that have left the id window are remembered. */
  far: FarDuplicateTimeLimit;
  /** Maximum bytes of these ids in memory, of all partitions together. */
  farBytes: number;
  erasures: ErasureLookup;
  /**
   * Receives the start and the end of each insert. An erasure that this process did not know when an insert began is
   * repeated after the insert.
   */
  inserts?: Pick<InsertErasureRepeater, 'begin' | 'end'>;
  /** Number of entities whose latest version is cached in memory. */
  cachedEntities: number;
  insertRows: number;
  insertBytes: number;
  insertIntervalMs: number;
  queueBytes: number;
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
 * Reads the events of all streams from Kafka and stores them in ClickHouse. An offset is committed only after all
 * events below the offset are stored or have become dead letters. After a crash, the uncommitted records are read again
 * and yield the same rows.
 */
export class Materializer implements ConsumerHandler {
  readonly assignments: AssignedPartitions;
  readonly verdicts: VerdictTable;
  readonly publisher: VerdictPublisher;
  private readonly retry: KafkaOrClickHouseRetrier;
  private readonly inserter: EventInserter;
  private readonly queue: InsertQueue;
  private readonly conditional: ConditionalWriteCoordinator;
  private readonly marks: DecidedMarkPublisher;
  private readonly accepted: AcceptedEventOffsetLookup;
  private readonly histories: IdHistoryLoader;
  private readonly consumer: Consumer;
  private readonly now: () => number;
  private readonly shutdown: WorkShutdown;
  private closing = false;
  /** Resolves when blocked calls of `batch` may return, because the records of those calls will not be stored. */
  private readonly released: Promise<void>;
  private release!: () => void;

  constructor(private readonly options: MaterializerOptions) {
    const { log, writer, topics, progress, window, far, erasures, logger } = options;
    this.now = options.now ?? Date.now;
    this.shutdown = new WorkShutdown((error) => options.onFailure(error));
    this.released = new Promise((resolve) => (this.release = resolve));
    this.retry = new KafkaOrClickHouseRetrier({
      logger,
      failedAttempt: () => progress.attempted(),
      ...options.retryDelays,
    });
    const versions = new EntityVersionCache(options.cachedEntities);
    this.verdicts = new VerdictTable({ log, names: topics });
    this.publisher = new VerdictPublisher({
      ...{ table: this.verdicts, names: topics, producer: () => log.producer() },
    });
    const { retry, now, verdicts, publisher } = this;
    this.assignments = new AssignedPartitions({
      ...{ topics, writer, retry, versions, erasures, window, now, logger, verdicts, far },
      farMemory: new MemoryBudget(options.farBytes),
      consumer: () => this.consumer,
      dropped: (state) => this.queue.drop(state),
    });
    const unstored = (state: MaterializedPartition): EventRowBatch[] =>
      this.queue.unstored.filter((batch) => batch.state === state).map(({ rows }) => rows);
    this.conditional = new ConditionalWriteCoordinator({
      ...{ writer, retry, logger, verdicts, publisher, unstored },
      assigned: (topic, partition) => this.assignments.get(topic, partition),
    });
    this.marks = new DecidedMarkPublisher({ publisher, verdicts, retry });
    this.accepted = new AcceptedEventOffsetLookup({ writer, retry, unstored });
    this.histories = new IdHistoryLoader({
      ...{ writer, retry, progress, logger, far, now, records: window.records },
    });
    this.inserter = new EventInserter({
      ...{ writer, retry },
      stopped: this.shutdown.signal,
      wanted: (block) => this.isWanted(block),
      now: () => this.now() * 1000,
      refused: (block) => this.withdraw(block),
    });
    this.queue = new InsertQueue({
      ...options,
      intervalMs: options.insertIntervalMs,
      write: (chunks) => withWriteTrace(insertSpans(options.tracing, chunks), () => this.write(chunks)),
      onFailure: (error) => this.shutdown.fail(error),
    });
    this.consumer = log.consumer({
      group: topics.materializerGroup,
      handler: this,
      onCrash: (error) => this.shutdown.fail(error),
    });
  }

  /**
   * The engine (Kafka or ClickHouse) to which a failed call is being repeated, and the error; undefined while no call
   * is repeated.
   */
  get complaint(): string | undefined {
    return this.retry.complaint;
  }

  /**
   * Whether this process has joined the consumer group. The materializer stores no events before it has joined its
   * consumer group.
   */
  get joined(): boolean {
    return this.consumer.joined;
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
    await this.consumer.subscribe([...topics]);
  }

  /**
   * Stores the pending events of a topic early, because a reader waits for them. Has no effect for a topic whose
   * partitions are assigned to other processes.
   */
  flushSoon(topic: string): void {
    if (![...this.assignments].some((state) => state.topic === topic)) return;
    this.consumer.fetchNow();
    // The insert is delayed until the running fetch of records has ended: an earlier insert would leave out the awaited
    // events.
    setTimeout(() => this.queue.flushSoon(), fetchMs).unref();
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

  async batch(batch: RecordBatch): Promise<void> {
    const state = this.assignments.get(batch.topic, batch.partition);
    if (!state || this.closing) return await this.heldWhileClosing();
    state.end = Math.max(state.end, batch.highWatermark);
    for (const part of splitBatch(batch, this.options.window.records)) await this.takePart(state, part);
    await this.heldWhileClosing();
  }

  revoked(partition: { topic: string; partition: number }): void {
    const state = this.assignments.get(partition.topic, partition.partition);
    if (state) this.conditional.revoked(state);
    this.assignments.revoke(partition);
  }

  /**
   * Stops taking batches, stores and commits the events that were read, and leaves the consumer group. Events that
   * cannot be stored within `flushMs` milliseconds are read again by the next owner of their partition.
   */
  async close(flushMs: number): Promise<void> {
    this.closing = true;
    await this.shutdown.within(flushMs, async (givenUp) => {
      await Promise.race([this.queue.flush().then(() => this.committed()), givenUp]);
    });
    this.assignments.clear();
    this.queue.abandon();
    this.release();
    await this.consumer.close();
    await this.verdicts.close();
  }

  private async takePart(state: MaterializedPartition, batch: RecordBatch): Promise<void> {
    // Room in the insert queue is reserved before rows are built, so that the rows of all partitions together stay
    // within the limit of memory.
    const room = await this.queue.reserve(state, estimatedBytesOf(batch));
    try {
      await this.take(state, batch, room);
    } catch (error) {
      if (state.ended.aborted) return;
      this.shutdown.fail(error);
    } finally {
      room.release();
    }
  }

  private async take(
    state: MaterializedPartition,
    batch: RecordBatch,
    room: QueueReservation,
  ): Promise<void> {
    if (state.ended.aborted || this.closing) return;
    const chunk = await this.fold(state, batch);
    if (!chunk) this.options.progress.moved();
    if (!chunk || state.ended.aborted || this.closing) return;
    const added = this.queue.add(chunk);
    room.release();
    await added;
  }

  private async heldWhileClosing(): Promise<void> {
    if (this.closing || this.shutdown.signal.aborted) await this.released;
  }

  private async committed(): Promise<void> {
    await Promise.allSettled([...this.assignments].map(({ commits }) => commits.settled()));
  }

  /** Builds the rows of a batch. Returns undefined if the batch is already committed and only fills the id window. */
  private async fold(state: MaterializedPartition, batch: RecordBatch): Promise<PendingBatch | undefined> {
    const { name: stream } = state;
    const { records, next } = batch;
    if (records[0]) await this.prime(state, records[0]);
    const isBusy = state.busy.isBusyIn(records, next) && next > state.assignment.position;
    const { asOf } = state.erasures;
    await this.conditional.learnIfAny(state);
    const admitted = await this.admit(state, records, isBusy);
    state.fold.pass(next);
    if (next <= state.assignment.position) return undefined;
    consumeRecords.inc({ stream }, records.length);
    if (admitted.duplicates > 0) duplicatesDropped.inc({ stream }, admitted.duplicates);
    if (admitted.erased > 0) erasedSkipped.inc({ stream }, admitted.erased);
    await this.loadVersions(state, admitted);
    const letters = deadLettersOf(state, { ...admitted, batch }, this.now() * 1000);
    const stored = await this.retry.run('store', state.ended, () => state.stored.among(admitted.rows));
    const rows = state.fold.number(admitted, stored);
    const decided = await this.conditional.publish(state, admitted, { rows: admitted.rows, next });
    // Writers wait for verdicts on conditional records, so the next fetch starts at once and does not collect records
    // first.
    if (decided) this.consumer.fetchNow();
    const marked = isBusy ? this.marks.mark(state, next, admitted.rows) : undefined;
    // The insert waits for the mark and handles its failure.
    marked?.catch(() => undefined);
    const sampled = this.options.tracing && sampledRequests(records, state.assignment.position);
    return pendingBatchOf(state, { asOf, rows, letters, batch, sampled, decided: marked });
  }

  private async admit(
    state: MaterializedPartition,
    records: readonly ConsumerRecord[],
    isMarked: boolean,
  ): Promise<UnversionedBatch> {
    const compared = await this.conditional.prepare(state, records);
    const steps = state.fold.admit(records, compared, isMarked);
    let step = steps.next();
    while (!step.done) step = steps.next(await this.accepted.offsetsOf(state, step.value));
    return step.value;
  }

  private async prime(state: MaterializedPartition, first: ConsumerRecord): Promise<void> {
    if (state.primed) return;
    const { assignment, ended } = state;
    const logTime = await this.retry.run('log', ended, () => logTimeAt(assignment, first));
    const floor = await this.histories.load(state);
    state.window.startAt(logTime);
    state.busy.begin(first.offset, first.offset === 0 ? -Infinity : logTime, floor);
    state.primed = true;
  }

  private async loadVersions(
    state: MaterializedPartition,
    { rows, unknown }: UnversionedBatch,
  ): Promise<void> {
    if (unknown.size === 0 || state.versions.complete) return;
    const { stream, partition, erasures, ended } = state;
    const wanted = { stream, partition, heads: unknown, before: rows.offsetOf(0) };
    await this.retry.run('store', ended, () => loadVersions(this.options.writer, wanted, erasures));
  }

  private async write(chunks: readonly PendingBatch[]): Promise<void> {
    await Promise.all(chunks.flatMap(({ decided }) => decided ?? []));
    this.eraseUnstored(chunks);
    const streams = new Set(chunks.filter(({ rows }) => rows.count > 0).map(({ state }) => state.stream));
    this.options.inserts?.begin(streams);
    try {
      await this.inserter.insert(chunks.map((chunk) => chunk.rows));
    } finally {
      this.options.inserts?.end(streams);
    }
    await this.inserter.insertLetters(() =>
      chunks.filter(({ state }) => !state.ended.aborted).flatMap(({ letters }) => letters),
    );
    this.options.progress.moved();
    consumeLastProgress.set(this.now() / 1000);
    for (const chunk of chunks) this.stored(chunk);
  }

  private eraseUnstored(chunks: readonly PendingBatch[]): void {
    const { unstored } = this.queue;
    const ofState = (all: readonly PendingBatch[], state: MaterializedPartition) =>
      all.filter((chunk) => chunk.state === state);
    for (const state of new Set(chunks.map((chunk) => chunk.state)))
      eraseUnstored(state, { chunks: ofState(chunks, state), unstored: ofState(unstored, state) });
  }

  private stored({ state, rows, next, timestamp }: PendingBatch): void {
    if (rows.count > 0)
      eventFreshness.observe(Math.max(0, this.now() / 1000 - rows.row(0).ingested_at / 1e6));
    if (state.ended.aborted) return;
    state.versions.storedUpTo = next;
    if (timestamp !== undefined) state.handledUntil = Math.max(state.handledUntil, timestamp);
    state.commits.offer(next).then(
      () => this.options.progress.moved(),
      (error: unknown) => state.ended.aborted || this.shutdown.fail(error),
    );
  }

  /**
   * Returns whether the partition of a row batch is still assigned to this process. The insert of a row batch is not
   * retried after a revocation.
   */
  private isWanted({ place }: EventRowBatch): boolean {
    const own = this.queue.unstored.find(({ rows }) => rows.place === place);
    return own === undefined || !own.state.ended.aborted;
  }

  /**
   * Lowers the versions of later events of the rejected row's entity, because a rejected row takes no version. None of
   * these later events is stored yet.
   */
  private withdraw(block: EventRowBatch): void {
    const { entity_id: entity, offset } = block.row(0);
    const own = this.queue.unstored.filter(({ rows }) => rows.place === block.place);
    if (own.length === 0 || entity === null) return;
    const { versions, erasures } = own[0]!.state;
    // If the entity was erased after the row got its version, the erasure has already restarted the later events at
    // version 1.
    if (offset < erasures.endOf(entity)) return;
    for (const { rows } of own) rows.lowerVersions(entity, offset);
    const head = versions.get(entity);
    if (head) head.version--;
  }
}
