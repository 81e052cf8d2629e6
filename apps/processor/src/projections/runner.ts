import {
  aborted,
  CommitLine,
  logTimeAt,
  PartitionErasures,
  warmUpStart,
  type KnownErasures,
  type Progress,
  type Retry,
} from '#engine';
import type { Micros, TopicNames } from '#event';
import {
  partitionKey,
  type Assignment,
  type Consumer,
  type ConsumerHandler,
  type Log,
  type RecordBatch,
} from '#log';
import type { ProjectionWriter } from '#store';
import { IdWindow, type IdWindowBounds } from '#dataflow';
import { metrics, type Tracing } from '#telemetry';
import { Reassignments } from '../reassignments.js';
import type { CompiledBuild } from './compiled-build.js';
import type { KeyCache } from './key-cache.js';
import { PartitionProjector, type Counted } from './partition-projector.js';
import type { StateSaver } from './save-states.js';
import type { StoredHistory } from './stored-history.js';

/** What all runners of a process share. */
export interface RunnerParts {
  log: Log;
  topics: TopicNames;
  writer: Pick<ProjectionWriter, 'load' | 'progressOf' | 'save'>;
  retry: Retry;
  saver: StateSaver;
  keys: KeyCache;
  history: StoredHistory;
  erasures: KnownErasures;
  window: IdWindowBounds;
  progress: Progress;
  tracing?: Tracing | undefined;
  /** Milliseconds since 1970. */
  now: () => number;
  /** It cannot go on by itself. The process should end. */
  onFailure(error: unknown): void;
}

interface Held {
  readonly end: AbortController;
  readonly assignment: Assignment;
  readonly window: IdWindow;
  projector?: PartitionProjector;
  /** The id window knows its log time. */
  primed: boolean;
  /** Where folding begins: perhaps far beyond where the group stands. */
  from: number;
  /** Where the next batch begins, unless the log has no record there. */
  expected: number;
  /** What is done before a batch is folded: reading from the store what the log has no more. */
  filling?: Promise<void>;
}

/**
 * Runs one build in this process: has a consumer of its own in the build's group, and folds the partitions that it is
 * given. A position is committed after everything below it is saved, never before.
 */
export class Runner implements ConsumerHandler {
  private readonly held = new Map<string, Held>();
  private readonly consumer: Consumer;
  private readonly reassignments: Reassignments;
  private subscribed: string | undefined;
  private closing = false;
  /** Resolves when held `batch` calls may return: nothing of them will be saved. */
  private readonly released: Promise<void>;
  private release!: () => void;

  constructor(
    /** Of the projection. */
    readonly name: string,
    readonly compiled: CompiledBuild,
    private readonly parts: RunnerParts,
  ) {
    this.released = new Promise((resolve) => (this.release = resolve));
    this.consumer = parts.log.consumer({
      group: parts.topics.projectionGroup(compiled.build.id),
      handler: this,
      onCrash: (error) => this.fail(error),
    });
    this.reassignments = new Reassignments(this.consumer);
  }

  /** The partitions that it has now, and that are ready. */
  *[Symbol.iterator](): Iterator<PartitionProjector> {
    for (const { projector } of this.held.values()) if (projector) yield projector;
  }

  /** Reads these streams from now on, and no others. */
  async follow(streams: readonly string[]): Promise<void> {
    const wanted = [...streams].sort().join();
    if (this.closing || this.subscribed === wanted) return;
    this.subscribed = wanted;
    await this.consumer.subscribe(streams.map((stream) => this.parts.topics.ofStream(stream)));
  }

  async assigned(assignment: Assignment): Promise<number> {
    const held: Held = {
      ...{ end: new AbortController(), assignment, window: new IdWindow(this.parts.window) },
      ...{ primed: false, from: assignment.position, expected: assignment.position },
    };
    this.drop(partitionKey(assignment));
    this.held.set(partitionKey(assignment), held);
    try {
      return await this.open(held);
    } catch (error) {
      if (held.end.signal.aborted) return assignment.position;
      this.fail(error);
      await this.released;
      return assignment.position;
    }
  }

  async batch(batch: RecordBatch): Promise<void> {
    const held = this.held.get(partitionKey(batch));
    if (!held?.projector || this.closing) return await this.heldWhileClosing();
    try {
      await this.take(held, held.projector, batch);
    } catch (error) {
      if (held.end.signal.aborted) return;
      this.fail(error);
      await this.released;
    }
    await this.heldWhileClosing();
  }

  revoked(place: { topic: string; partition: number }): void {
    this.drop(partitionKey(place));
  }

  /** The partition is saved up to `next`: that is where the group stands now. */
  saved(projector: PartitionProjector, next: number): void {
    metrics.projectionLastProgress.set({ projection: this.name }, this.parts.now() / 1000);
    this.parts.progress.moved();
    projector.commits.offer(next).then(
      () => this.parts.progress.moved(),
      (error: unknown) => projector.ended.aborted || this.fail(error),
    );
  }

  /**
   * Saves and commits what was read, takes nothing more, leaves the group. What cannot be saved before `givenUp` resolves is read
   * again by whoever comes next.
   */
  async stop(givenUp: Promise<unknown>): Promise<void> {
    this.closing = true;
    this.reassignments.stop();
    const done = this.parts.saver
      .flush()
      .then(() => Promise.allSettled([...this].map(({ commits }) => commits.settled())));
    await Promise.race([done, givenUp]);
    for (const key of [...this.held.keys()]) this.drop(key);
    this.release();
    await this.consumer.close();
  }

  private async open(held: Held): Promise<number> {
    const { topics, writer, retry, window, keys, erasures, now } = this.parts;
    const { assignment, end } = held;
    const { topic, partition, position } = assignment;
    const stream = topics.streamOf(topic) ?? topic;
    const place = { build: this.compiled.build.id, stream, partition };
    const progress = await retry.run('store', end.signal, () => writer.progressOf(place));
    const first = this.compiled.build.sources[stream]?.starts?.[partition] ?? 0;
    // The store says what is folded: the group's position is lost when nobody reads for a week, or the store was.
    held.from = Math.max(progress?.next ?? 0, first);
    if (!progress) {
      const begin = { ...place, next: held.from, processed: 0, failed: 0, updated_at: now() * 1000 };
      await retry.run('store', end.signal, () => writer.save([], [begin]));
    }
    const [start, oldest] = await retry.run('log', end.signal, async () => [
      held.from < position ? assignment.beginning : await warmUpStart(assignment, window, now()),
      await assignment.timestampAtPosition(),
    ]);
    end.signal.throwIfAborted();
    const isExpired = held.from < assignment.beginning;
    const projector = new PartitionProjector({
      ...{ name: this.name, compiled: this.compiled, place, topic, progress },
      ...{ from: held.from, window: held.window, ended: end.signal },
      ...{ end: position, handledUntil: oldest ?? now() },
      traced: this.parts.tracing !== undefined,
      // A build begins to save after it has said so: of one that has not there is nothing.
      keys: keys.open({ complete: progress === undefined }),
      erasures: new PartitionErasures(erasures, place),
      commits: new CommitLine(isExpired ? held.from : position, (next) =>
        retry.run('log', end.signal, () => this.consumer.commit(topic, partition, next)),
      ),
      load: (wanted) => retry.run('store', end.signal, () => writer.load(place, wanted)),
      now: (): Micros => now() * 1000,
    });
    held.projector = projector;
    held.expected = start;
    // Killed before it committed the last of what is saved; and no batch may come that would make up for it.
    const isSaved = progress !== undefined && oldest === undefined && held.from === position;
    held.filling = this.beforeBatches(held, async () => {
      if (projector.reached.known < assignment.beginning) await this.fill(held, projector);
      if (isSaved) await retry.run('log', end.signal, () => this.consumer.commit(topic, partition, position));
    });
    return start;
  }

  private async beforeBatches(held: Held, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (held.end.signal.aborted) return;
      this.fail(error);
      await this.released;
    }
  }

  /** Folds what the log has no more, if there is any of it. */
  private fill(
    { assignment: { topic, partition }, end }: Held,
    projector: PartitionProjector,
  ): Promise<void> {
    const { history, saver, topics } = this.parts;
    const stream = topics.streamOf(topic) ?? topic;
    const life = this.compiled.build.sources[stream]?.created_at ?? '';
    const place = { name: this.name, topic, stream, partition, life };
    const fold = async (batch: RecordBatch, beginning: number): Promise<void> => {
      const done = await saver.turn(projector);
      try {
        end.signal.throwIfAborted();
        this.count(await projector.take(batch, beginning));
        end.signal.throwIfAborted();
        saver.add(projector);
      } finally {
        done();
      }
    };
    return history.fill(place, { reached: () => projector.reached, fold }, end.signal);
  }

  private async take(held: Held, projector: PartitionProjector, batch: RecordBatch): Promise<void> {
    const { assignment, from, end } = held;
    // Everything below it is saved, or is not for this build.
    if (from > assignment.position) await projector.commits.offer(from);
    if (from - batch.next > 2 * this.parts.window.records) {
      // It begins where the group stands now: what lies between is not read for nothing.
      this.reassignments.soon(batch.topic);
      return await aborted(end.signal);
    }
    await held.filling;
    // Between two offsets nothing may have been written; or the log's beginning has overtaken us.
    if ((batch.records[0]?.offset ?? batch.next) > held.expected) await this.fill(held, projector);
    held.expected = batch.next;
    await this.prime(held, batch);
    const done = await this.parts.saver.turn(projector);
    try {
      end.signal.throwIfAborted();
      this.count(await projector.take(batch));
      end.signal.throwIfAborted();
      if (batch.next > from) this.parts.saver.add(projector);
      else this.parts.progress.moved();
    } finally {
      done();
    }
  }

  private async prime(held: Held, { records: [first] }: RecordBatch): Promise<void> {
    if (held.primed || !first) return;
    const { retry } = this.parts;
    held.window.startAt(await retry.run('log', held.end.signal, () => logTimeAt(held.assignment, first)));
    held.primed = true;
  }

  private count({ processed, failed, duplicates }: Counted): void {
    const label = { projection: this.name };
    if (processed > 0) metrics.projectionEvents.inc(label, processed);
    if (failed > 0) metrics.projectionFailed.inc(label, failed);
    if (duplicates > 0) metrics.projectionDuplicates.inc(label, duplicates);
  }

  private drop(key: string): void {
    const held = this.held.get(key);
    if (!held) return;
    this.held.delete(key);
    held.end.abort();
    if (!held.projector) return;
    this.parts.saver.drop(held.projector);
    held.projector.close();
  }

  private async heldWhileClosing(): Promise<void> {
    if (this.closing) await this.released;
  }

  private fail(error: unknown): void {
    this.parts.onFailure(error);
  }
}
