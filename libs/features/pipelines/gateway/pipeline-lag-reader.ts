import { Inject, Injectable } from '@nestjs/common';
import { DEFINITIONS } from '#app';
import { TopicAndGroupNames } from '#event';
import type { Definitions, PipelineDefinition } from '#registry';
import { GroupLagReader, readTopics } from '#gateway-kit';
import { compiledDefinition } from './compiled-definition.js';

/** An internal Kafka topic of a pipeline's job, with its number of partitions. */
interface InternalTopic {
  topic: string;
  /** JSON pointer in the definition to the window or dedupe that reads the topic. Empty for the topic of replays. */
  stage: string;
  partitions: number;
}

/** The lag of a pipeline, and its internal topics. */
export interface PipelineLagAndInternalTopics {
  /** Records of the source streams and internal topics that the job has not processed yet. */
  lag: number;
  internalTopics: InternalTopic[];
}

/** Measures the lag of pipelines' current jobs from their committed Kafka offsets. */
@Injectable()
export class PipelineLagReader {
  constructor(
    private readonly lag: GroupLagReader,
    @Inject(DEFINITIONS) private readonly definitions: Pick<Definitions, 'stream'>,
    private readonly topics: TopicAndGroupNames,
  ) {}

  /**
   * Resolves with the lags by the id of the job, up to a second old.
   * @throws LogUnavailableError
   * @throws ProblemError overloaded
   */
  async of(definitions: readonly PipelineDefinition[]): Promise<Map<string, PipelineLagAndInternalTopics>> {
    const readings = definitions.map((definition) => this.readingOf(definition));
    const found = await this.lag.of(readings.map(({ group }) => group));
    return new Map(
      readings.map(({ group, stages }) => {
        const { lag = 0, partitions } = found.get(group.id) ?? {};
        const internalTopics = stages
          .map(({ topic, stage }) => ({ topic, stage, partitions: partitions?.get(topic) ?? 0 }))
          .filter((internal) => internal.partitions > 0);
        return [group.id, { lag, internalTopics }];
      }),
    );
  }

  private readingOf(definition: PipelineDefinition) {
    const { id, sources } = definition.run;
    const { definitions, topics } = this;
    const keyed = compiledDefinition(definition)?.stages ?? [];
    const stages = [
      ...keyed.map((stage) => ({ topic: topics.pipelineTopic(id, stage.id), stage: stage.at })),
      { topic: topics.pipelineReplayTopic(id), stage: '' },
    ];
    const read = [...readTopics(sources, { definitions, topics }), ...stages.map(({ topic }) => ({ topic }))];
    return { group: { id, group: topics.pipelineGroup(id), topics: read }, stages };
  }
}
