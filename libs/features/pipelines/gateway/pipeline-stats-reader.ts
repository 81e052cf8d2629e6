import { Inject, Injectable } from '@nestjs/common';
import { STORE } from '#app';
import type { EpochMicros } from '#json';
import { deliveryStage, replayStage, stepResults, type OperatorEventResult } from '#dataflow';
import type { PipelineDefinition } from '#registry';
import type { PartitionCheckpoint, KeyedStateReader } from '#store';
import { Bulkhead } from '#gateway-kit';
import { compiledDefinition } from './compiled-definition.js';
import { PipelineLagReader, type PipelineLagAndInternalTopics } from './pipeline-lag-reader.js';

/** Numbers of events that a pipeline's job has processed, emitted and failed on since its start. */
interface PipelineCounts {
  /** Events of the source streams that the pipeline selects. */
  processed: number;
  /** Events written to streams, and deliveries to webhooks. */
  emitted: number;
  dropped: number;
  late: number;
  /** Events that the job could not process and that became dead letters. */
  failed: number;
}

/** Number of events by result, for one operator of a pipeline's job. */
interface OperatorStats extends Record<OperatorEventResult, number> {
  /** JSON pointer to the operator in the definition. */
  path: string;
  operator: string;
}

/** Since when deliveries to a webhook are repeated, and why the last attempt failed. */
interface DeliveryRetry {
  since: EpochMicros;
  lastAnswer: string;
}

/** Microseconds after which a retry is over, or its processor gone: attempts are less than a minute apart. */
const retryAgeMicros = 120_000_000;

/** Statistics of the current job of one pipeline: counts, lag, watermark, and counts of each operator. */
export interface PipelineJobStats extends PipelineCounts, PipelineLagAndInternalTopics {
  /**
   * The statistics of the operators in the order of the definition. Empty if this gateway's version of Tributary cannot
   * compile the definition.
   */
  steps: OperatorStats[];
  /**
   * The watermark: all events before it have been processed, except those that arrive late. Null before the first
   * event.
   */
  watermark: EpochMicros | null;
  /** Since when deliveries to a webhook are repeated, and the last answer; null while none is repeated. */
  retrying: DeliveryRetry | null;
  /** Time of the last checkpoint; null before the first one. */
  updatedAt: EpochMicros | null;
}

/** Reads the statistics of pipelines from the store and the log. */
@Injectable()
export class PipelineStatsReader {
  constructor(
    @Inject(STORE) private readonly store: { pipelines: KeyedStateReader },
    private readonly lag: PipelineLagReader,
    private readonly bulkhead: Bulkhead,
  ) {}

  /**
   * Resolves with the statistics by the id of each job.
   * @throws StoreUnavailableError
   * @throws LogUnavailableError
   * @throws ProblemError overloaded
   */
  async of(
    definitions: readonly PipelineDefinition[],
    client: AbortSignal,
  ): Promise<Map<string, PipelineJobStats>> {
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
  stored: readonly PartitionCheckpoint[],
): Omit<PipelineJobStats, keyof PipelineLagAndInternalTopics> {
  const rows = stored.filter(({ stage }) => stage !== deliveryStage);
  const sum = (of: Exclude<keyof PipelineCounts, 'processed'>) => rows.reduce((all, row) => all + row[of], 0);
  const sources = rows.filter(({ stage }) => stage === '');
  return {
    processed: sources.reduce((all, { processed }) => all + processed, 0),
    ...{ emitted: sum('emitted'), dropped: sum('dropped'), late: sum('late'), failed: sum('failed') },
    steps: stepsOf(definition, rows),
    watermark: watermarkOf(definition, rows),
    // The row stays when the job stops, and is still recent then.
    retrying: isRunning(definition)
      ? longestRetry(stored.filter(({ stage }) => stage === deliveryStage))
      : null,
    updatedAt: rows.length === 0 ? null : Math.max(...rows.map(({ updated_at }) => updated_at)),
  };
}

function isRunning({ paused, failure }: PipelineDefinition): boolean {
  return !paused && failure === null;
}

/** Returns the retry that lasts for the longest time. Each processor has a row. */
function longestRetry(stored: readonly PartitionCheckpoint[]): DeliveryRetry | null {
  const oldest = Date.now() * 1000 - retryAgeMicros;
  const recent = stored.filter(({ state, updated_at }) => state !== '' && updated_at >= oldest);
  const [longest] = recent
    .map(({ state }) => JSON.parse(state) as { since: EpochMicros; answer: string })
    .sort((a, b) => a.since - b.since);
  return longest ? { since: longest.since, lastAnswer: longest.answer } : null;
}

/** Sums the counts of each operator over the partitions of the job's current stages. */
function stepsOf(definition: PipelineDefinition, rows: readonly PartitionCheckpoint[]): OperatorStats[] {
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
 * Returns the minimum watermark of the pipeline's windows and dedupes, or of its sources when it has neither. Null
 * until each of them has received an event.
 */
function watermarkOf(
  definition: PipelineDefinition,
  rows: readonly PartitionCheckpoint[],
): EpochMicros | null {
  const keyed = compiledDefinition(definition)?.stages.map(({ id }) => id) ?? [];
  const stages = (keyed.length > 0 ? keyed : ['']).map((id) =>
    leastOf(rows.filter(({ stage }) => stage === id)),
  );
  return stages.some((watermark) => watermark === null) ? null : Math.min(...(stages as EpochMicros[]));
}

function leastOf(rows: readonly PartitionCheckpoint[]): EpochMicros | null {
  const watermarks = rows.flatMap(({ watermark }) => watermark ?? []);
  return watermarks.length === 0 ? null : Math.min(...watermarks);
}
