import { Inject, Injectable } from '@nestjs/common';
import { DEFINITIONS } from '#app';
import { TopicAndGroupNames } from '#event';
import type { Definitions } from '#registry';
import type { PipelineDefinition } from '#features/pipelines/definition';
import { GroupLagReader, type GroupLagCounts, readTopics } from '#gateway-kit';
import { compiledDefinition } from './compiled-definition.js';
import type { PipelineJobStats } from './pipeline-answers.js';

/** The lag of a pipeline's job, and its internal topics that exist. */
export interface PipelineLag extends GroupLagCounts, Pick<PipelineJobStats, 'internal_topics'> {}

export const noLag: PipelineLag = { lag: 0, total: 0, seconds: 0, internal_topics: [] };

/** Measures the lag of the jobs of pipelines from the committed offsets of their consumer groups. */
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
  async of(definitions: readonly PipelineDefinition[]): Promise<Map<string, PipelineLag>> {
    const groups = definitions.map((definition) => this.groupOf(definition));
    const lags = await this.lag.of(groups);
    return new Map(
      groups.map(({ id, internal }) => {
        const { partitions, ...lag } = lags.get(id) ?? { ...noLag, partitions: new Map<string, number>() };
        const internal_topics = internal
          .map(({ topic, stage }) => ({ topic, stage, partitions: partitions.get(topic) ?? 0 }))
          .filter((topic) => topic.partitions > 0);
        return [id, { ...lag, internal_topics }];
      }),
    );
  }

  /** Returns the consumer group of a pipeline's job, with the job's internal topics. */
  private groupOf(definition: PipelineDefinition) {
    const { id, sources } = definition.run;
    const { definitions, topics } = this;
    const keyed = compiledDefinition(definition)?.stages ?? [];
    const internal = [
      ...keyed.map((stage) => ({ topic: topics.pipelineTopic(id, stage.id), stage: stage.at })),
      { topic: topics.pipelineReplayTopic(id), stage: '' },
    ];
    const read = [
      ...readTopics(sources, { definitions, topics }),
      ...internal.map(({ topic }) => ({ topic })),
    ];
    return { id, group: topics.pipelineGroup(id), topics: read, internal };
  }
}
