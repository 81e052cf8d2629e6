import { Inject, Injectable } from '@nestjs/common';
import { STORE } from '#app';
import { formatTime, type EpochMicros } from '#json';
import { deliveryStage, replayStage, stepResults } from '#features/pipelines/computation';
import type { PipelineDefinition } from '#features/pipelines/definition';
import type { PartitionCheckpoint, KeyedStateReader } from '#store';
import { Bulkhead } from '#gateway-kit';
import { compiledDefinition } from './compiled-definition.js';
import type { PipelineJobStats } from './pipeline-answers.js';
import { noLag, PipelineLagReader, type PipelineLag } from './pipeline-lag-reader.js';

/** Microseconds after which a retry is over, or its processor gone: attempts are less than a minute apart. */
const retryAgeMicros = 120_000_000;

/** Reads the statistics of pipelines: their checkpoints from the store, and their lag from committed Kafka offsets. */
@Injectable()
export class PipelineStatsReader {
  constructor(
    @Inject(STORE) private readonly store: { pipelines: KeyedStateReader },
    private readonly lag: PipelineLagReader,
    private readonly bulkhead: Bulkhead,
  ) {}

  /**
   * Resolves with the statistics of each definition, in order. The lag is up to a second old.
   * @throws StoreUnavailableError
   * @throws LogUnavailableError
   * @throws ProblemError overloaded
   */
  async of(definitions: readonly PipelineDefinition[], client: AbortSignal): Promise<PipelineJobStats[]> {
    if (definitions.length === 0) return [];
    const jobs = definitions.map(({ run }) => run.id);
    const [progress, lags] = await Promise.all([
      this.bulkhead.run(client, (signal) => this.store.pipelines.progress(jobs, signal)),
      this.lag.of(definitions),
    ]);
    return definitions.map((definition) => {
      const rows = progress.filter(({ owner }) => owner === definition.run.id);
      return statsOf(definition, rows, lags.get(definition.run.id));
    });
  }
}

function statsOf(
  definition: PipelineDefinition,
  stored: readonly PartitionCheckpoint[],
  { lag, seconds, internal_topics }: PipelineLag = noLag,
): PipelineJobStats {
  const rows = withoutDeliveries(stored);
  const watermark = watermarkOf(definition, rows);
  // The row stays when the job stops, and is still recent then.
  const isRunning = !definition.paused && definition.failure === null;
  return {
    ...pipelineTotals(stored),
    emitted: sumOf(rows, 'emitted'),
    dropped: sumOf(rows, 'dropped'),
    late: sumOf(rows, 'late'),
    lag,
    lag_seconds: seconds,
    watermark: watermark === null ? null : formatTime(watermark),
    retrying: isRunning ? longestRetry(stored.filter(({ stage }) => stage === deliveryStage)) : null,
    internal_topics,
    updated_at: rows.length === 0 ? null : formatTime(Math.max(...rows.map((row) => row.updated_at))),
    steps: stepsOf(definition, rows),
  };
}

/** Returns how many events a job has read from its source streams, and how many it could not process. */
export function pipelineTotals(stored: readonly PartitionCheckpoint[]): {
  processed: number;
  failed: number;
} {
  const rows = withoutDeliveries(stored);
  const sources = rows.filter(({ stage }) => stage === '');
  return { processed: sumOf(sources, 'processed'), failed: sumOf(rows, 'failed') };
}

function withoutDeliveries(stored: readonly PartitionCheckpoint[]): PartitionCheckpoint[] {
  return stored.filter(({ stage }) => stage !== deliveryStage);
}

function sumOf(
  rows: readonly PartitionCheckpoint[],
  of: 'processed' | 'emitted' | 'dropped' | 'late' | 'failed',
): number {
  return rows.reduce((all, row) => all + row[of], 0);
}

/** Returns the retry that lasts for the longest time. Each processor has a row. */
function longestRetry(stored: readonly PartitionCheckpoint[]): PipelineJobStats['retrying'] {
  const oldest = Date.now() * 1000 - retryAgeMicros;
  const recent = stored.filter(({ state, updated_at }) => state !== '' && updated_at >= oldest);
  const [longest] = recent
    .map(({ state }) => JSON.parse(state) as { since: EpochMicros; answer: string })
    .sort((a, b) => a.since - b.since);
  return longest ? { since: formatTime(longest.since), last_answer: longest.answer } : null;
}

/** Sums the counts of each operator over the partitions of the job's current stages. */
function stepsOf(
  definition: PipelineDefinition,
  rows: readonly PartitionCheckpoint[],
): PipelineJobStats['steps'] {
  const compiled = compiledDefinition(definition);
  if (!compiled) return [];
  // The rows of a former stage remain for a while.
  const stages = new Set(['', replayStage, ...compiled.stages.map(({ id }) => id)]);
  const counts = rows.filter(({ stage }) => stages.has(stage)).map(({ steps }) => steps ?? {});
  return compiled.steps.map(({ path, operator, key }) => {
    const [into = 0, out = 0, dropped = 0, late = 0, failed = 0] = stepResults.map((_, i) =>
      counts.reduce((sum, steps) => sum + (steps[key]?.[i] ?? 0), 0),
    );
    return { path, operator, in: into, out, dropped, late, failed };
  });
}

/**
 * Returns the minimum watermark of the pipeline's keyed stages, or of its sources when it has none. Null
 * until each of them has received an event.
 */
function watermarkOf(
  definition: PipelineDefinition,
  rows: readonly PartitionCheckpoint[],
): EpochMicros | null {
  const keyed = compiledDefinition(definition)?.stages.map(({ id }) => id) ?? [];
  const stages = (keyed.length > 0 ? keyed : ['']).map((id) =>
    rows.flatMap(({ stage, watermark }) => (stage === id ? (watermark ?? []) : [])),
  );
  return stages.some((watermarks) => watermarks.length === 0) ? null : Math.min(...stages.flat());
}
