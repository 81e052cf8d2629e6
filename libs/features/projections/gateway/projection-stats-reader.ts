import { Inject, Injectable } from '@nestjs/common';
import { STORE } from '#app';
import type { EpochMicros } from '#json';
import type { ProjectionGeneration, ProjectionDefinition } from '#registry';
import type { KeyedStateReader } from '#store';
import { Bulkhead, type GroupLagCounts } from '#gateway-kit';
import { ProjectionLagReader } from './projection-lag-reader.js';

/** Statistics of one generation of a projection: counts, lag, and the time of the last checkpoint. */
export interface GenerationStats extends GroupLagCounts {
  /** Number of events that the generation has folded. */
  processed: number;
  /** Number of events that the generation could not fold and that became dead letters. */
  failed: number;
  /** Time of the last checkpoint; null before the first one. */
  updated_at: EpochMicros | null;
}

const noLag: GroupLagCounts = { lag: 0, total: 0 };

/** Reads the statistics of projection generations from the store and the log. */
@Injectable()
export class ProjectionStatsReader {
  constructor(
    @Inject(STORE) private readonly store: { projections: Pick<KeyedStateReader, 'progress'> },
    private readonly lag: ProjectionLagReader,
    private readonly bulkhead: Bulkhead,
  ) {}

  /**
   * Resolves with the statistics by the id of each generation of these projections.
   * @throws StoreUnavailableError
   * @throws LogUnavailableError
   * @throws ProblemError overloaded
   */
  async of(
    definitions: readonly ProjectionDefinition[],
    client: AbortSignal,
  ): Promise<Map<string, GenerationStats>> {
    const builds = definitions.flatMap(buildsOf);
    if (builds.length === 0) return new Map();
    const ids = builds.map(({ id }) => id);
    const [progress, lags] = await Promise.all([
      this.bulkhead.run(client, (signal) => this.store.projections.progress(ids, signal)),
      this.lag.of(builds),
    ]);
    const stats = new Map<string, GenerationStats>(
      ids.map((id) => [id, { ...(lags.get(id) ?? noLag), processed: 0, failed: 0, updated_at: null }]),
    );
    for (const { owner, processed, failed, updated_at } of progress) {
      const sum = stats.get(owner);
      if (!sum) continue;
      sum.processed += processed;
      sum.failed += failed;
      sum.updated_at = Math.max(sum.updated_at ?? 0, updated_at);
    }
    return stats;
  }
}

function buildsOf({ serving, building }: ProjectionDefinition): ProjectionGeneration[] {
  return [serving, building].filter((build) => build !== null);
}
