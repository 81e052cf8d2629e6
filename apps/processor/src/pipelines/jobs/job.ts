import { PartitionHost, type OwnedPartition, type Reconciled, type TaskFactory } from '#engine';
import { streamName, type StreamId } from '#event';
import { metrics } from '#telemetry';
import { CurrentJob, replayStage } from '../stages/current-job.js';
import { InternalTopics } from './internal-topics.js';
import { CheckpointLostError } from '../stages/checkpoint-lost.js';
import { openTask, type Opening } from './open-task.js';
import type { JobTask } from './job-task.js';
import type { StageTopic } from '../output/output-buffer.js';
import type { JobParts } from './job-parts.js';
import { ShownStreams } from './shown-streams.js';
import { shownWatermark } from './shown-watermark.js';
import type { DesiredJob } from './desired-jobs.js';

/** What the lag of a pipeline is shown under. No projection has a space in its name. */
export const pipelineMark = 'pipeline ';

/**
 * Runs one job of a pipeline in this process: makes its topics, reads its sources and the topics of its stages in the
 * job's own group, and works through the partitions that it is given.
 */
export class Job implements Reconciled<DesiredJob>, TaskFactory<JobTask> {
  private readonly host: PartitionHost<JobTask>;
  private readonly shown: ShownStreams;
  private readonly closed = new AbortController();
  private current: CurrentJob;
  private desired: DesiredJob;
  private following: Promise<void> | undefined;
  /** By stage; undefined where they have to be looked for. */
  private internal: { of: string; topics: Map<string, StageTopic> } | undefined;
  private stageOf = new Map<string, string>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    desired: DesiredJob,
    private readonly parts: JobParts,
  ) {
    this.desired = desired;
    this.shown = new ShownStreams(parts.projections);
    this.current = this.currentOf(desired, new Map());
    const { checkpointer } = parts;
    this.host = new PartitionHost({
      ...parts,
      ...{ name: pipelineMark + this.name, group: parts.topics.pipelineGroup(this.id), tasks: this },
      checkpointer: {
        drop: ({ state }) => checkpointer.drop(state),
        // What is written is saved, too: who goes on with another definition repeats nothing under other ids.
        flush: () => checkpointer.flush(),
      },
      onFailure: (error) => this.failed(error),
    });
  }

  /** Its id. */
  get id(): string {
    return this.desired.definition.run.id;
  }

  /** Of the pipeline. */
  get name(): string {
    return this.desired.definition.name;
  }

  /** The tasks of the partitions that it has now, and that are ready. */
  [Symbol.iterator](): Iterator<JobTask> {
    return this.host[Symbol.iterator]();
  }

  /** Does this from now on: each partition goes on where it stands, from its next batch on. */
  async follow(desired: DesiredJob): Promise<void> {
    this.desired = desired;
    this.following ??= this.followLast()
      .catch((error: unknown) => this.gaveUp(error))
      .finally(() => (this.following = undefined));
    await this.following;
  }

  async stop(givenUp: Promise<unknown>): Promise<void> {
    this.closed.abort();
    clearInterval(this.timer);
    await Promise.all([this.host.stop(givenUp), this.following?.catch(() => undefined)]);
  }

  async open(partition: OwnedPartition): Promise<JobTask | 'not-mine'> {
    // A counter that begins with a failure shows no increase, and alerts ask for one.
    metrics.pipelineFailed.inc({ pipeline: this.name }, 0);
    const { topic } = partition;
    const stage = this.stageOf.get(topic);
    // What a change has taken out is still subscribed to for a moment.
    const source = stage === undefined ? this.sourceOf(partition) : undefined;
    if (stage === undefined && !source) return 'not-mine';
    const opening = {
      ...{ run: this.id, partition, stage, source, current: () => this.current },
      idOf: (stream: string) => this.idOf(stream),
    };
    return await openTask(opening, this.parts);
  }

  /** One of its topics may be gone. Nothing else would find out while nothing is to be forwarded. */
  revoked(topic: string): void {
    if (!this.stageOf.has(topic)) return;
    this.internal = undefined;
    this.follow(this.desired).catch((error: unknown) => this.isClosing || this.parts.onFailure(error));
  }

  private get isClosing(): boolean {
    return this.closed.signal.aborted;
  }

  private async followLast(): Promise<void> {
    for (let done: DesiredJob | undefined; done !== this.desired && !this.isClosing;) {
      done = this.desired;
      const { sources, pipeline } = done;
      const stages = pipeline.stages.map(({ id }) => id);
      const internal = await this.internalTopics(stages, Math.max(1, ...sources.values()));
      this.current = this.currentOf(done, internal);
      const ids = [...sources.keys()].flatMap((stream) => this.idOf(stream) ?? []);
      const ofSources = ids.map((id) => this.parts.topics.ofStream(id));
      await this.host.subscribe([...ofSources, ...this.stageOf.keys()]);
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

  /** The id of a stream that the job reads. */
  private idOf(stream: string): StreamId | undefined {
    const { sources } = this.desired.definition.run;
    return Object.hasOwn(sources, stream) ? sources[stream]?.id : undefined;
  }

  private sourceOf({ topic, partition }: OwnedPartition): Opening['source'] {
    const id = this.parts.topics.streamOf(topic);
    const stream = id && streamName(id);
    if (!id || stream === undefined || this.idOf(stream) !== id) return undefined;
    return { stream, id, start: this.desired.definition.run.sources[stream]?.starts?.[partition] ?? 0 };
  }

  private tell(): void {
    for (const task of this)
      // What cannot be told now is told at the next look.
      task.tell().catch((error: unknown) => {
        this.parts.progress.attempted();
        if (error instanceof CheckpointLostError) this.parts.giveUp(this.id, error.message);
      });
    const stages = this.desired.pipeline.stages.map(({ id }) => id);
    const states = [...this].map(({ state }) => state);
    const watermark = shownWatermark(states, stages);
    if (watermark === undefined) metrics.pipelineWatermark.remove({ pipeline: this.name });
    else metrics.pipelineWatermark.set({ pipeline: this.name }, watermark / 1e6);
  }

  private currentOf(
    { definition, pipeline, sources }: DesiredJob,
    topics: Map<string, StageTopic>,
  ): CurrentJob {
    const { name, version, run, spec } = definition;
    const idOf = (stream: string) => this.idOf(stream) ?? this.parts.streamId(stream) ?? '';
    const streams = () => this.shown.of(spec);
    return new CurrentJob({ name, version, id: run.id, streams, idOf }, pipeline, { sources, topics });
  }

  /** Gives the job up when its checkpoint is lost. @throws every other error */
  private gaveUp(error: unknown): void {
    if (!(error instanceof CheckpointLostError)) throw error;
    this.parts.giveUp(this.id, error.message);
  }

  private failed(error: unknown): void {
    if (error instanceof CheckpointLostError) this.parts.giveUp(this.id, error.message);
    else this.parts.onFailure(error);
  }
}
