import type { TopicNames } from '#event';
import type { Definitions, ProjectionBuild } from '#registry';
import { GroupLag, type GroupLagOptions, type Lag } from '../lag/group-lag.js';
import { readTopics } from '../sources/read-topics.js';

export interface ProjectionLagOptions extends GroupLagOptions {
  definitions: Pick<Definitions, 'stream'>;
  topics: TopicNames;
}

/** How far builds of projections are behind the log. */
export class ProjectionLag {
  private readonly lag: GroupLag;

  constructor(private readonly options: ProjectionLagOptions) {
    this.lag = new GroupLag(options);
  }

  /** By the build's id; figures are up to a second old. @throws LogUnavailableError @throws ProblemError overloaded */
  async of(builds: readonly ProjectionBuild[]): Promise<Map<string, Lag>> {
    const { topics } = this.options;
    return this.lag.of(
      builds.map(({ id, sources }) => ({
        id,
        group: topics.projectionGroup(id),
        topics: readTopics(sources, this.options).map((one) => ({ ...one, isWhole: true })),
      })),
    );
  }
}
