import { Inject, Injectable } from '@nestjs/common';
import type { Micros } from '#event';
import type { PipelineDefinition } from '#registry';
import type { StateProgress, KeyedStateReader } from '#store';
import { STORE } from '../adapters/adapters.js';
import { Bulkhead } from '../reads/bulkhead.js';
import { compiledDefinition } from './compiled-definition.js';
import { PipelineLag, type PipelineReading } from './pipeline-lag.js';

/** What a run has done, in all. */
export interface PipelineCounts {
  /** Events of the sources that were for it. */
  processed: number;
  /** Events that were written to streams, and deliveries. */
  emitted: number;
  dropped: number;
  late: number;
  /** Events that could not be processed: they are dead letters. */
  failed: number;
}

/** How one pipeline is doing. */
export interface RunStats extends PipelineCounts, PipelineReading {
  /** Everything that happened before it is known, as far as that can be known. */
  watermark: Micros | null;
  /** When it last wrote anything down; null: never. */
  updatedAt: Micros | null;
}

/** How pipelines are doing, asked of the store and of the log. */
@Injectable()
export class PipelineStats {
  constructor(
    @Inject(STORE) private readonly store: { pipelines: KeyedStateReader },
    private readonly lag: PipelineLag,
    private readonly bulkhead: Bulkhead,
  ) {}

  /**
   * By the id of each run.
   * @throws StoreUnavailableError @throws LogUnavailableError @throws ProblemError overloaded
   */
  async of(definitions: readonly PipelineDefinition[], client: AbortSignal): Promise<Map<string, RunStats>> {
    if (definitions.length === 0) return new Map();
    const runs = definitions.map(({ run }) => run.id);
    const [progress, readings] = await Promise.all([
      this.bulkhead.run(client, (signal) => this.store.pipelines.progress(runs, signal)),
      this.lag.of(definitions),
    ]);
    return new Map(
      definitions.map((definition) => {
        const { id } = definition.run;
        const reading = readings.get(id) ?? { lag: 0, internalTopics: [] };
        const rows = progress.filter(({ owner }) => owner === id);
        return [id, { ...reading, ...statsOf(definition, rows) }];
      }),
    );
  }
}

function statsOf(
  definition: PipelineDefinition,
  rows: readonly StateProgress[],
): Omit<RunStats, keyof PipelineReading> {
  const sum = (of: Exclude<keyof PipelineCounts, 'processed'>) => rows.reduce((all, row) => all + row[of], 0);
  const sources = rows.filter(({ stage }) => stage === '');
  return {
    processed: sources.reduce((all, { processed }) => all + processed, 0),
    ...{ emitted: sum('emitted'), dropped: sum('dropped'), late: sum('late'), failed: sum('failed') },
    watermark: watermarkOf(definition, rows),
    updatedAt: rows.length === 0 ? null : Math.max(...rows.map(({ updated_at }) => updated_at)),
  };
}

/** The least of its windows and dedupes; of the sources where it has none. Null before the first event has come there. */
function watermarkOf(definition: PipelineDefinition, rows: readonly StateProgress[]): Micros | null {
  const keyed = compiledDefinition(definition)?.stages.map(({ id }) => id) ?? [];
  const stages = (keyed.length > 0 ? keyed : ['']).map((id) =>
    leastOf(rows.filter(({ stage }) => stage === id)),
  );
  return stages.some((watermark) => watermark === null) ? null : Math.min(...(stages as Micros[]));
}

function leastOf(rows: readonly StateProgress[]): Micros | null {
  const watermarks = rows.flatMap(({ watermark }) => watermark ?? []);
  return watermarks.length === 0 ? null : Math.min(...watermarks);
}
