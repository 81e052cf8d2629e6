import { withAnySignal } from '#async';
import { aborted, inStoreSpans, logTimeAt } from '#engine';
import {
  partitionKey,
  UnknownTopicError,
  type Assignment,
  type Consumer,
  type ConsumerHandler,
  type RecordBatch,
} from '#log';
import { IdWindow } from '#dataflow';
import { metrics } from '#telemetry';
import { Reassignments } from '../reassignments.js';
import { CurrentRun, replayStage } from './current-run.js';
import { InternalTopics } from './internal-topics.js';
import { LostPlaceError } from './lost-place.js';
import { openTask } from './open-task.js';
import type { StageTopic } from './outgoing.js';
import { OvertakenError } from './partition-rows.js';
import type { PartitionState } from './partition-state.js';
import type { RunParts } from './run-parts.js';
import { runSpans } from './run-spans.js';
import { ShownStreams } from './shown-streams.js';
import { shownWatermark } from './shown-watermark.js';
import type { Task, Taken } from './task.js';
import type { WantedRun } from './wanted-runs.js';

interface Held {
  readonly end: AbortController;
  readonly assignment: Assignment;
  readonly window: IdWindow;
  task?: Task;
  /** The id window knows its log time. */
  primed: boolean;
  from: number;
  savedAt: number;
}

/**
 * Runs one run in this process: has a consumer of its own in the run's group, of the sources and of the stages' topics, and
 * works through the partitions that it is given.
 */
export class RunRunner implements ConsumerHandler {
  private readonly held = new Map<string, Held>();
  private readonly consumer: Consumer;
  private readonly reassignments: Reassignments;
  private readonly taking = new Set<Promise<void>>();
  private readonly closed = new AbortController();
  private readonly released: Promise<void>;
  private release!: () => void;
  private readonly shown: ShownStreams;
  private current: CurrentRun;
  private wanted: WantedRun;
  private following: Promise<void> | undefined;
  private subscribed = '';
  /** By stage; undefined where they have to be looked for. */
  private internal: { of: string; topics: Map<string, StageTopic> } | undefined;
  private stageOf = new Map<string, string>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    wanted: WantedRun,
    private readonly parts: RunParts,
  ) {
    this.wanted = wanted;
    this.shown = new ShownStreams(parts.projections);
    this.current = this.currentOf(wanted, new Map());
    this.released = new Promise((resolve) => (this.release = resolve));
    this.consumer = parts.log.consumer({
      group: parts.topics.pipelineGroup(this.id),
      handler: this,
      onCrash: (error) => parts.onFailure(error),
    });
    this.reassignments = new Reassignments(this.consumer);
  }

  /** Of the run. */
  get id(): string {
    return this.wanted.definition.run.id;
  }

  /** Of the pipeline. */
  get name(): string {
    return this.wanted.definition.name;
  }

  /** The stages that there are now. */
  get stages(): readonly string[] {
    return this.wanted.pipeline.stages.map(({ id }) => id);
  }

  /** The partitions that it has now, and that are ready. */
  *[Symbol.iterator](): Iterator<PartitionState> {
    for (const { task } of this.held.values()) if (task) yield task.state;
  }

  /** Does this from now on: each partition goes on where it stands, from its next batch on. */
  async follow(wanted: WantedRun): Promise<void> {
    this.wanted = wanted;
    this.following ??= this.followLast()
      .catch((error: unknown) => this.gaveUp(error))
      .finally(() => (this.following = undefined));
    await this.following;
  }

  async assigned(assignment: Assignment): Promise<number> {
    const held: Held = {
      ...{ end: new AbortController(), assignment, window: new IdWindow(this.parts.window) },
      ...{ primed: false, from: assignment.position, savedAt: 0 },
    };
    this.drop(partitionKey(assignment));
    // A counter that begins with a failure shows no increase, and alerts ask for one.
    metrics.pipelineFailed.inc({ pipeline: this.name }, 0);
    this.held.set(partitionKey(assignment), held);
    try {
      return await this.open(held);
    } catch (error) {
      if (held.end.signal.aborted) return assignment.position;
      // It was deleted just now: the consumer waits for it, and it is assigned anew.
      if (error instanceof UnknownTopicError) this.reassignments.soon(assignment.topic);
      else await this.fail(error, held);
      return assignment.position;
    }
  }

  async batch(batch: RecordBatch): Promise<void> {
    const held = this.held.get(partitionKey(batch));
    if (!held || this.isClosing) return await this.heldWhileClosing();
    if (!held.task) return await this.assignAgain(held);
    const taking = this.take(held, held.task, batch);
    this.taking.add(taking);
    try {
      await taking;
    } catch (error) {
      if (!held.end.signal.aborted) await this.fail(error, held);
    } finally {
      this.taking.delete(taking);
    }
    await this.heldWhileClosing();
  }

  revoked(place: { topic: string; partition: number }): void {
    this.drop(partitionKey(place));
    if (this.stageOf.has(place.topic) && !this.isClosing) this.lookForTopics();
  }

  /** The partition is saved up to `next`. */
  saved(state: PartitionState, next: number): void {
    metrics.pipelineLastProgress.set({ pipeline: this.name }, this.parts.now() / 1000);
    this.parts.progress.moved();
    this.commit(state, next);
  }

  /** See the runner of projections. */
  async stop(givenUp: Promise<unknown>): Promise<void> {
    this.closed.abort();
    clearInterval(this.timer);
    this.reassignments.stop();
    // What is written is saved, too: who goes on with another definition repeats nothing under other ids.
    const done = Promise.allSettled(this.taking)
      .then(() => this.parts.saver.flush())
      .then(() => Promise.allSettled([...this].map(({ commits }) => commits.settled())));
    await Promise.race([done, givenUp]);
    for (const key of [...this.held.keys()]) this.drop(key);
    this.release();
    await this.following?.catch(() => undefined);
    await this.consumer.close();
  }

  private get isClosing(): boolean {
    return this.closed.signal.aborted;
  }

  private async followLast(): Promise<void> {
    for (let done: WantedRun | undefined; done !== this.wanted && !this.isClosing;) {
      done = this.wanted;
      const { sources, pipeline } = done;
      const stages = pipeline.stages.map(({ id }) => id);
      const internal = await this.internalTopics(stages, Math.max(1, ...sources.values()));
      this.current = this.currentOf(done, internal);
      await this.subscribe([...sources.keys()].map((stream) => this.parts.topics.ofStream(stream)));
    }
    if (this.isClosing) return;
    this.timer ??= setInterval(() => this.tell(), this.parts.pace.tellMs / 2).unref();
  }

  /** Most definitions change nothing here: what was there is looked for again only when it may be gone. */
  private async internalTopics(
    stages: readonly string[],
    partitions: number,
  ): Promise<Map<string, StageTopic>> {
    const of = stages.join();
    if (this.internal?.of === of) return this.internal.topics;
    const { log, topics, retry, writer: reader, pace } = this.parts;
    const own = new InternalTopics({ admin: log.admin, topics, retry, reader, goneMs: pace.goneMs });
    const [found, replays] = await Promise.all([
      own.ensure(this.id, { stages, partitions }, this.closed.signal),
      own.ensureReplay(this.id, this.closed.signal),
    ]);
    this.stageOf = new Map([...found].map(([stage, { topic }]) => [topic, stage]));
    this.stageOf.set(replays, replayStage);
    this.internal = { of, topics: found };
    return found;
  }

  /** One of its topics may be gone. Nothing else would find out while nothing is to be forwarded. */
  private lookForTopics(): void {
    this.internal = undefined;
    this.follow(this.wanted).catch((error: unknown) => this.isClosing || this.parts.onFailure(error));
  }

  private async subscribe(ofSources: readonly string[]): Promise<void> {
    const all = [...ofSources, ...this.stageOf.keys()].sort();
    if (this.isClosing || this.subscribed === all.join()) return;
    this.subscribed = all.join();
    await this.consumer.subscribe(all);
  }

  private async open(held: Held): Promise<number> {
    const { assignment, window, end } = held;
    const { topic, partition } = assignment;
    const stage = this.stageOf.get(topic);
    // What a change has taken out is still subscribed to for a moment.
    if (stage === undefined && !this.isSource(topic)) return assignment.position;
    const { task, start, from } = await openTask(
      {
        ...{ run: this.id, assignment, stage, window, ended: end.signal },
        source: stage === undefined ? this.sourceOf(topic, partition) : undefined,
        current: () => this.current,
        commit: (next) => this.consumer.commit(topic, partition, next),
      },
      this.parts,
    );
    if (end.signal.aborted) task.close();
    end.signal.throwIfAborted();
    Object.assign(held, { task, from });
    return start;
  }

  private isSource(topic: string): boolean {
    const stream = this.parts.topics.streamOf(topic);
    return stream !== undefined && Object.hasOwn(this.wanted.definition.run.sources, stream);
  }

  private sourceOf(topic: string, partition: number): { stream: string; createdAt: string; start: number } {
    const stream = this.parts.topics.streamOf(topic) ?? topic;
    const source = this.wanted.definition.run.sources[stream];
    return { stream, createdAt: source?.created_at ?? '', start: source?.starts?.[partition] ?? 0 };
  }

  private async take(held: Held, task: Task, batch: RecordBatch): Promise<void> {
    const { assignment, from, end } = held;
    const { saver, progress, window, tracing } = this.parts;
    // Everything below it is done, or is not for this run.
    if (from > assignment.position) await task.state.commits.offer(from);
    if (from - batch.next > 2 * window.records) {
      this.reassignments.soon(batch.topic);
      // A runner that stops requests no reassignment.
      return await withAnySignal([end.signal, this.closed.signal], aborted);
    }
    await this.prime(held, batch);
    const { records } = batch;
    const spans = runSpans(tracing, { name: this.name, records, from: task.state.next });
    const taken = await inStoreSpans(spans, () => task.take(batch));
    end.signal.throwIfAborted();
    this.count(taken);
    if (batch.next <= from) return progress.moved();
    const isQuiet = !taken.changed && task.state.unsavedCount === 0;
    if (isQuiet && performance.now() - held.savedAt < this.parts.pace.quietSaveMs)
      return this.commit(task.state, task.state.next);
    held.savedAt = performance.now();
    saver.add(task.state);
  }

  /** What is saved says where the partition goes on; that the group stands further changes nothing. */
  private commit(state: PartitionState, next: number): void {
    state.commits.offer(next).then(
      () => this.parts.progress.moved(),
      (error: unknown) => state.ended.aborted || this.parts.onFailure(error),
    );
  }

  private tell(): void {
    for (const { task } of this.held.values())
      // What cannot be told now is told at the next look.
      task?.tell().catch((error: unknown) => {
        this.parts.progress.attempted();
        if (error instanceof LostPlaceError) this.parts.giveUp(this.id, error.message);
      });
    const watermark = shownWatermark(this, this.stages);
    if (watermark === undefined) metrics.pipelineWatermark.remove({ pipeline: this.name });
    else metrics.pipelineWatermark.set({ pipeline: this.name }, watermark / 1e6);
  }

  /** What is not of the run now is not read past: it may be of the run again. */
  private async assignAgain({ assignment: { topic }, end }: Held): Promise<void> {
    this.reassignments.soon(topic);
    await Promise.race([aborted(end.signal), this.released]);
  }

  private async prime(held: Held, { records: [first] }: RecordBatch): Promise<void> {
    if (held.primed || !first) return;
    const { retry } = this.parts;
    held.window.startAt(await retry.run('log', held.end.signal, () => logTimeAt(held.assignment, first)));
    held.primed = true;
  }

  private count({ counts, duplicates }: Taken): void {
    const label = { pipeline: this.name };
    metrics.pipelineProcessed.inc(label, counts.processed);
    metrics.pipelineEmitted.inc(label, counts.emitted);
    metrics.pipelineDropped.inc(label, counts.dropped);
    metrics.pipelineLate.inc(label, counts.late);
    metrics.pipelineFailed.inc(label, counts.failed);
    metrics.pipelineDuplicates.inc(label, duplicates);
  }

  private currentOf(
    { definition, pipeline, sources }: WantedRun,
    topics: Map<string, StageTopic>,
  ): CurrentRun {
    const { name, version, run, spec } = definition;
    const streams = () => this.shown.of(spec);
    return new CurrentRun({ name, version, id: run.id, streams }, pipeline, { sources, topics });
  }

  private drop(key: string): void {
    const held = this.held.get(key);
    if (!held) return;
    this.held.delete(key);
    held.end.abort();
    if (!held.task) return;
    this.parts.saver.drop(held.task.state);
    held.task.close();
  }

  /** @throws what is no lost place */
  private gaveUp(error: unknown): void {
    if (!(error instanceof LostPlaceError)) throw error;
    this.parts.giveUp(this.id, error.message);
  }

  private async heldWhileClosing(): Promise<void> {
    if (this.isClosing) await this.released;
  }

  /** Resolves when the partition is no longer ours. */
  private async fail(error: unknown, held: Held): Promise<void> {
    if (error instanceof OvertakenError) return await this.assignAgain(held);
    if (error instanceof LostPlaceError) this.parts.giveUp(this.id, error.message);
    else this.parts.onFailure(error);
    await Promise.race([aborted(held.end.signal), this.released]);
  }
}
