import { NotResumableError } from '#processor-kit';
import { PartitionTaskHost, type OwnedPartition, type DefinitionRunner, type TaskFactory } from '#engine';
import { streamNameOf, type StreamId } from '#event';
import { replayStage } from '#features/pipelines/computation';
import { JobConfiguration } from '../stages/job-configuration.js';
import { ensureInternalTopics } from './internal-topics.js';
import { openTask, type AssignedJobPartition } from './open-task.js';
import type { JobTask } from './job-task.js';
import type { StageTopic } from '../output/output-buffer.js';
import type { JobDependencies } from './job-dependencies.js';
import { StreamsInDeadLetters } from './streams-in-dead-letters.js';
import { exportedWatermark } from './exported-watermark.js';
import type { DesiredJob } from './desired-jobs.js';
import { pipelineFailed, pipelineWatermark } from './pipeline-metrics.js';

/**
 * Runs the job of one pipeline in this process. The job creates its internal topics, and reads the sources and the
 * internal topics in a consumer group of its own.
 */
export class RunningJob implements DefinitionRunner<DesiredJob>, TaskFactory<JobTask> {
  private readonly host: PartitionTaskHost<JobTask>;
  private readonly shown: StreamsInDeadLetters;
  private readonly closed = new AbortController();
  private current: JobConfiguration;
  private desired: DesiredJob;
  private following: Promise<void> | undefined;
  /** The internal topics of the keyed stages, by stage; undefined if the topics must be looked up again. */
  private internal: { of: string; topics: Map<string, StageTopic> } | undefined;
  private stageOf = new Map<string, string>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    desired: DesiredJob,
    private readonly dependencies: JobDependencies,
  ) {
    this.desired = desired;
    this.shown = new StreamsInDeadLetters(dependencies.projections);
    this.current = this.currentOf(desired, new Map());
    const { checkpointer } = dependencies;
    this.host = new PartitionTaskHost({
      ...dependencies,
      ...{ name: this.name, group: dependencies.topics.pipelineGroup(this.id), tasks: this },
      checkpointer: {
        drop: ({ state }) => checkpointer.drop(state),
        // Everything that this process has written is saved first, so that a process with another definition does not
        // write the same output again under other ids.
        flush: () => checkpointer.flush(),
      },
      onFailure: (error) => {
        if (error instanceof NotResumableError) dependencies.giveUp(this.id, error.message);
        else dependencies.onFailure(error);
      },
    });
  }

  /** Id of the job. */
  get id(): string {
    return this.desired.definition.run.id;
  }

  /** Name of the pipeline. */
  get name(): string {
    return this.desired.definition.name;
  }

  /** Iterates over the tasks of the assigned partitions that are ready. */
  [Symbol.iterator](): Iterator<JobTask> {
    return this.host[Symbol.iterator]();
  }

  /**
   * Applies a changed definition to the running job. Each partition continues at its offset, and applies the new
   * definition from its next batch on.
   */
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
    // The counter is created with 0. If the counter appeared with the first failure, the function `increase` in an
    // alert would not see that failure.
    pipelineFailed.inc({ pipeline: this.name }, 0);
    const { topic } = partition;
    const stage = this.stageOf.get(topic);
    // A topic that a changed definition no longer names remains subscribed for a moment.
    const source = stage === undefined ? this.sourceOf(partition) : undefined;
    if (stage === undefined && !source) return 'not-mine';
    const opening = {
      ...{ run: this.id, partition, stage, source, current: () => this.current },
      idOf: (stream: string) => this.idOf(stream),
    };
    return await openTask(opening, this.dependencies);
  }

  /**
   * Checks the internal topics again after a partition is revoked, because the topic may have been deleted. While no
   * record is repartitioned, nothing else detects a deleted internal topic.
   */
  revoked(topic: string): void {
    if (!this.stageOf.has(topic)) return;
    this.internal = undefined;
    this.follow(this.desired).catch((error: unknown) => this.isClosing || this.dependencies.onFailure(error));
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
      this.dependencies.stepMetrics.keep(this.name, pipeline.steps);
      const ids = [...sources.keys()].flatMap((stream) => this.idOf(stream) ?? []);
      const ofSources = ids.map((id) => this.dependencies.topics.ofStream(id));
      await this.host.subscribe([...ofSources, ...this.stageOf.keys()]);
    }
    if (this.isClosing) return;
    this.timer ??= setInterval(() => this.tell(), this.dependencies.pace.tellMs / 2).unref();
  }

  /**
   * Resolves with the internal topics of the keyed stages. The topics are looked up again only if the stages change or
   * a topic may have been deleted.
   */
  private async internalTopics(
    stages: readonly string[],
    partitions: number,
  ): Promise<Map<string, StageTopic>> {
    const of = stages.join();
    if (this.internal?.of === of) return this.internal.topics;
    const { log, topics, retry, writer: reader, pace } = this.dependencies;
    const { ofStages, replay } = await ensureInternalTopics(
      { run: this.id, stages, partitions },
      { admin: log.admin, topics, retry, reader, goneMs: pace.goneMs, signal: this.closed.signal },
    );
    this.stageOf = new Map([...ofStages].map(([stage, { topic }]) => [topic, stage]));
    this.stageOf.set(replay, replayStage);
    this.internal = { of, topics: ofStages };
    return ofStages;
  }

  /** Returns the id of a stream that the job reads; undefined for any other stream. */
  private idOf(stream: string): StreamId | undefined {
    const { sources } = this.desired.definition.run;
    return Object.hasOwn(sources, stream) ? sources[stream]?.id : undefined;
  }

  private sourceOf({ topic, partition }: OwnedPartition): AssignedJobPartition['source'] {
    const id = this.dependencies.topics.streamOf(topic);
    const stream = id && streamNameOf(id);
    if (!id || stream === undefined || this.idOf(stream) !== id) return undefined;
    return { stream, id, start: this.desired.definition.run.sources[stream]?.starts?.[partition] ?? 0 };
  }

  private tell(): void {
    for (const task of this)
      // A watermark broadcast that fails is repeated at the next interval.
      task.tell().catch((error: unknown) => {
        this.dependencies.progress.attempted();
        if (error instanceof NotResumableError) this.dependencies.giveUp(this.id, error.message);
      });
    const stages = this.desired.pipeline.stages.map(({ id }) => id);
    const states = [...this].map(({ state }) => state);
    const watermark = exportedWatermark(states, stages);
    if (watermark === undefined) pipelineWatermark.remove({ pipeline: this.name });
    else pipelineWatermark.set({ pipeline: this.name }, watermark / 1e6);
  }

  private currentOf(
    { definition, pipeline, sources }: DesiredJob,
    topics: Map<string, StageTopic>,
  ): JobConfiguration {
    const { name, version, run, spec } = definition;
    const idOf = (stream: string) => this.idOf(stream) ?? this.dependencies.streamId(stream) ?? '';
    const streams = () => this.shown.of(spec);
    const sourceIds = Object.values(run.sources)
      .map(({ id }) => id)
      .sort()
      .join();
    const label = { name, version, id: run.id, streams, sourceIds, idOf };
    return new JobConfiguration(label, pipeline, { sources, topics });
  }

  /** Marks the job as failed if the error is a NotResumableError. @throws every other error */
  private gaveUp(error: unknown): void {
    if (!(error instanceof NotResumableError)) throw error;
    this.dependencies.giveUp(this.id, error.message);
  }
}
