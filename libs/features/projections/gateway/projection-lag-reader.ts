import { Inject, Injectable } from '@nestjs/common';
import { DEFINITIONS } from '#app';
import { TopicAndGroupNames } from '#event';
import type { Definitions } from '#registry';
import type { ProjectionGeneration } from '#features/projections/definition';
import { GroupLagReader, type GroupLagCounts, readTopics } from '#gateway-kit';

/** Measures the lag of projection generations from the committed offsets of their consumer groups. */
@Injectable()
export class ProjectionLagReader {
  constructor(
    private readonly lag: GroupLagReader,
    @Inject(DEFINITIONS) private readonly definitions: Pick<Definitions, 'stream'>,
    private readonly topics: TopicAndGroupNames,
  ) {}

  /**
   * Resolves with the lags by the id of the generation, up to a second old.
   * @throws LogUnavailableError
   * @throws ProblemError overloaded
   */
  async of(generations: readonly ProjectionGeneration[]): Promise<Map<string, GroupLagCounts>> {
    const { definitions, topics } = this;
    return this.lag.of(
      generations.map(({ id, sources }) => ({
        id,
        group: topics.projectionGroup(id),
        topics: readTopics(sources, { definitions, topics }).map((one) => ({ ...one, isWhole: true })),
      })),
    );
  }
}
