import type { KeyedStage, Pipeline } from '#dataflow';
import type { JobLabel } from '../output/emitted-record.js';
import type { StageTopic } from '../output/output-buffer.js';

/** A job as it is now: what its partitions do with what they read. A change of the definition makes another one. */
export class CurrentJob {
  private readonly stages: ReadonlyMap<string, KeyedStage>;

  constructor(
    readonly label: JobLabel,
    readonly pipeline: Pipeline,
    private readonly places: {
      /** Partitions of the sources that are read. */
      sources: ReadonlyMap<string, number>;
      /** By stage. */
      topics: ReadonlyMap<string, StageTopic>;
    },
  ) {
    this.stages = new Map(pipeline.stages.map((stage) => [stage.id, stage]));
  }

  stage(id: string): KeyedStage | undefined {
    return this.stages.get(id);
  }

  /** @throws RangeError when there is no such stage */
  topicOf(stage: string): StageTopic {
    const topic = this.places.topics.get(stage);
    if (topic) return topic;
    throw new RangeError(`no topic of stage ${stage}`);
  }

  /** Topics of the stages that one feeds; undefined is that of the sources. */
  fedBy(feeder: string | undefined): StageTopic[] {
    const { pipeline } = this;
    const fed = pipeline.stages.filter(({ id }) => pipeline.feederOf(id) === feeder);
    return fed.map(({ id }) => this.topicOf(id));
  }

  /** The partitions that feed a stage. */
  feedersOf(stage: string): string[] {
    const feeder = this.pipeline.feederOf(stage);
    if (feeder !== undefined) return partitionsOf(feeder, this.topicOf(feeder).partitions);
    return [...this.places.sources].flatMap(([stream, count]) => partitionsOf(stream, count));
  }
}

/** The stage of the replay topic's partition, beside those that are keyed. */
export const replayStage = 'replay';
/** What that partition is called in what it forwards: no stream's partition is called so. */
export const replayFeeder = '.replay/0';

/** What a partition of a source, or of a stage's topic, is called in what it forwards. */
export function feederName(of: string, partition: number): string {
  return `${of}/${partition}`;
}

function partitionsOf(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, partition) => feederName(name, partition));
}
