import { Inject, Injectable } from '@nestjs/common';
import { TopicNames } from '#event';
import type { Definitions, PipelineDefinition } from '#registry';
import { DEFINITIONS } from '../adapters/adapters.js';
import { GroupLag } from '../lag/group-lag.js';
import { readTopics } from '../sources/read-topics.js';
import { compiledDefinition } from './compiled-definition.js';

/** A topic that a run has made for itself. */
export interface InternalTopic {
  topic: string;
  /** Where the window or the dedupe stands that reads it: a JSON pointer into the definition. Empty: that of replays. */
  stage: string;
  partitions: number;
}

/** How far a pipeline is, and what it goes through. */
export interface PipelineReading {
  /** Records of its sources and of its internal topics that it has yet to look at. */
  lag: number;
  internalTopics: InternalTopic[];
}

/** How far pipelines are behind the log. */
@Injectable()
export class PipelineLag {
  constructor(
    private readonly lag: GroupLag,
    @Inject(DEFINITIONS) private readonly definitions: Pick<Definitions, 'stream'>,
    private readonly topics: TopicNames,
  ) {}

  /** By the run's id; figures are up to a second old. @throws LogUnavailableError @throws ProblemError overloaded */
  async of(definitions: readonly PipelineDefinition[]): Promise<Map<string, PipelineReading>> {
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
