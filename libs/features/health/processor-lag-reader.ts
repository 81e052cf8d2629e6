import { Inject, Injectable } from '@nestjs/common';
import { DEFINITIONS } from '#app';
import type { Definitions } from '#registry';
import { PipelineLagReader } from '#features/pipelines';
import { ProjectionLagReader } from '#features/projections';
import type { GroupLagCounts } from '#gateway-kit';
import { publishLagMetrics, type ConsumerLag } from './materializer-lag-reader.js';

/**
 * Measures the processors' lag over the generations that serve reads, of all projections that are neither paused nor
 * failed. Generations that are being built and pipelines do not count.
 */
@Injectable()
export class ProcessorLagReader {
  constructor(
    @Inject(DEFINITIONS) private readonly definitions: Pick<Definitions, 'projections' | 'pipelines'>,
    @Inject(ProjectionLagReader) private readonly projections: Pick<ProjectionLagReader, 'of'>,
    @Inject(PipelineLagReader) private readonly pipelines: Pick<PipelineLagReader, 'of'>,
  ) {}

  /**
   * Measures the lag of all projections and pipelines every `intervalMs` milliseconds, because the lag in seconds is computed
   * from earlier measurements. Calls `onMeasured` with the lags by the ids of generations and runs. Returns a function that
   * stops the measurements.
   */
  follow(intervalMs: number, onMeasured: (lags: ReadonlyMap<string, GroupLagCounts>) => void): () => void {
    let running = false;
    const measure = async (): Promise<void> => {
      const projections = this.definitions.projections.all();
      onMeasured(
        await this.projections.of(projections.flatMap(({ serving, building }) => serving ?? building ?? [])),
      );
      onMeasured(await this.pipelines.of(this.definitions.pipelines.all()));
    };
    const timer = setInterval(() => {
      if (running) return;
      running = true;
      // The health check of the log reports a log that cannot be reached.
      measure()
        .catch(() => undefined)
        .finally(() => (running = false));
    }, intervalMs);
    timer.unref();
    return () => clearInterval(timer);
  }

  /**
   * Resolves with the sum of the lags in events and the largest lag in seconds.
   * @throws LogUnavailableError
   * @throws ProblemError overloaded
   */
  async measure(): Promise<ConsumerLag> {
    const running = this.definitions.projections
      .all()
      .filter(({ paused, failure }) => !paused && failure === null);
    const found = await this.projections.of(running.flatMap(({ serving }) => serving ?? []));
    const total: ConsumerLag = { lag_events: 0, lag_seconds: 0 };
    for (const { lag, seconds } of found.values()) {
      total.lag_events += lag;
      total.lag_seconds = Math.max(total.lag_seconds, seconds);
    }
    publishLagMetrics('processor', total);
    return total;
  }
}
