import { Inject, Injectable } from '@nestjs/common';
import { STORE } from '#app';
import type { EpochMicros } from '#json';
import type { ProjectionDefinition } from '#features/projections/definition';
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
    const generations = definitions
      .flatMap(({ serving, building }) => [serving, building])
      .filter((generation) => generation !== null);
    if (generations.length === 0) return new Map();
    const ids = generations.map(({ id }) => id);
    const [progress, lags] = await Promise.all([
      this.bulkhead.run(client, (signal) => this.store.projections.progress(ids, signal)),
      this.lag.of(generations),
    ]);
    const none = { lag: 0, total: 0, seconds: 0, processed: 0, failed: 0, updated_at: null };
    const stats = new Map<string, GenerationStats>(ids.map((id) => [id, { ...none, ...lags.get(id) }]));
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
