import type { Micros } from '#event';
import type { ProjectionBuild, ProjectionDefinition } from '#registry';
import type { KeyedStateReader } from '#store';
import type { ReadGate } from '../reads/read-gate.js';
import type { Lag } from '../lag/group-lag.js';
import type { ProjectionLag } from './projection-lag.js';

/** How one build is doing. */
export interface BuildFigures extends Lag {
  /** Events that are folded. */
  processed: number;
  /** Events that could not be folded: they are dead letters. */
  failed: number;
  /** When it last wrote anything down; null: never. */
  updated_at: Micros | null;
}

export interface ProjectionFiguresParts {
  projections: Pick<KeyedStateReader, 'progress'>;
  lag: ProjectionLag;
  gate: ReadGate;
}

const noLag: Lag = { lag: 0, total: 0 };

/** How the builds of projections are doing, asked of the store and of the log. */
export class ProjectionFigures {
  constructor(private readonly parts: ProjectionFiguresParts) {}

  /**
   * By the id of each build that these have.
   * @throws StoreUnavailableError @throws LogUnavailableError @throws ProblemError overloaded
   */
  async of(
    definitions: readonly ProjectionDefinition[],
    client: AbortSignal,
  ): Promise<Map<string, BuildFigures>> {
    const builds = definitions.flatMap(buildsOf);
    if (builds.length === 0) return new Map();
    const ids = builds.map(({ id }) => id);
    const { projections, lag, gate } = this.parts;
    const [progress, lags] = await Promise.all([
      gate.run(client, (signal) => projections.progress(ids, signal)),
      lag.of(builds),
    ]);
    const figures = new Map<string, BuildFigures>(
      ids.map((id) => [id, { ...(lags.get(id) ?? noLag), processed: 0, failed: 0, updated_at: null }]),
    );
    for (const { owner, processed, failed, updated_at } of progress) {
      const sum = figures.get(owner);
      if (!sum) continue;
      sum.processed += processed;
      sum.failed += failed;
      sum.updated_at = Math.max(sum.updated_at ?? 0, updated_at);
    }
    return figures;
  }
}

function buildsOf({ serving, building }: ProjectionDefinition): ProjectionBuild[] {
  return [serving, building].filter((build) => build !== null);
}
