import type { KeyedStage, CompiledPipeline } from '#features/pipelines/computation';
import type { JobIdentity } from '../output/emitted-record.js';
import type { StageTopic } from '../output/output-buffer.js';

/**
 * The current definition of a job, with the job's internal topics and numbers of partitions. Each change of the
 * definition creates a new `JobConfiguration`.
 */
export class JobConfiguration {
  private readonly stages: ReadonlyMap<string, KeyedStage>;

  constructor(
    readonly label: JobIdentity,
    readonly pipeline: CompiledPipeline,
    private readonly places: {
      /** Number of partitions of each source stream, by stream name. */
      sources: ReadonlyMap<string, number>;
      /** The internal topics of the keyed stages, by stage id. */
      topics: ReadonlyMap<string, StageTopic>;
    },
  ) {
    this.stages = new Map(pipeline.stages.map((stage) => [stage.id, stage]));
  }

  stage(id: string): KeyedStage | undefined {
    return this.stages.get(id);
  }

  /** Returns the internal topic of a stage. @throws RangeError when the stage has no internal topic */
  topicOf(stage: string): StageTopic {
    const topic = this.places.topics.get(stage);
    if (topic) return topic;
    throw new RangeError(`the stage ${stage} has no topic`);
  }

  /** Returns the internal topics of the stages directly downstream of a stage, or of a stream. */
  fedBy(feeder: { stage: string } | { stream: string }): StageTopic[] {
    const { pipeline } = this;
    const fed = pipeline.stages.filter(({ id }) => {
      const { stage, streams } = pipeline.upstreamOf(id);
      return 'stage' in feeder ? stage === feeder.stage : streams.includes(feeder.stream);
    });
    return fed.map(({ id }) => this.topicOf(id));
  }

  /** Returns the names of the upstream partitions of a stage. */
  feedersOf(id: string): string[] {
    const { stage, streams } = this.pipeline.upstreamOf(id);
    return [
      ...(stage === undefined ? [] : partitionsOf(stage, this.topicOf(stage).partitions)),
      ...streams.flatMap((stream) => partitionsOf(stream, this.places.sources.get(stream) ?? 0)),
    ];
  }
}

/** Name of the replay partition, in the records that it repartitions. No partition of a stream has this name. */
export const replayPartitionName = '.replay/0';

/** Returns the name of a partition of a source or stage, for the records that are repartitioned from it. */
export function upstreamPartitionName(of: string, partition: number): string {
  return `${of}/${partition}`;
}

function partitionsOf(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, partition) => upstreamPartitionName(name, partition));
}
