import { Inject, Injectable } from '@nestjs/common';
import { TopicNames } from '#event';
import type { Definitions, ProjectionGeneration } from '#registry';
import { DEFINITIONS } from '../adapters/adapters.js';
import { GroupLag, type OffsetLag } from '../lag/group-lag.js';
import { readTopics } from '../sources/read-topics.js';

/** Measures the lag of projection generations from the committed offsets of their consumer groups. */
@Injectable()
export class ProjectionLag {
  constructor(
    private readonly lag: GroupLag,
    @Inject(DEFINITIONS) private readonly definitions: Pick<Definitions, 'stream'>,
    private readonly topics: TopicNames,
  ) {}

  /**
   * Resolves with the lags by the id of the generation, up to a second old.
   * @throws LogUnavailableError
   * @throws ProblemError overloaded
   */
  async of(builds: readonly ProjectionGeneration[]): Promise<Map<string, OffsetLag>> {
    const { definitions, topics } = this;
    return this.lag.of(
      builds.map(({ id, sources }) => ({
        id,
        group: topics.projectionGroup(id),
        topics: readTopics(sources, { definitions, topics }).map((one) => ({ ...one, isWhole: true })),
      })),
    );
  }
}
