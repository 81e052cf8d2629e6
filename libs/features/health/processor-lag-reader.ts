import { Inject, Injectable } from '@nestjs/common';
import { DEFINITIONS } from '#app';
import type { Definitions } from '#registry';
import { ProjectionLagReader } from '#features/projections';
import { TimeLagEstimator } from './time-lag-estimator.js';
import { publishLagMetrics, type ConsumerLag } from './materializer-lag-reader.js';

/**
 * Measures the processors' lag over the generations that serve reads, of all projections that are neither paused nor
 * failed. Generations that are being built and pipelines do not count.
 */
@Injectable()
export class ProcessorLagReader {
  private clocks = new Map<string, TimeLagEstimator>();

  constructor(
    @Inject(DEFINITIONS) private readonly definitions: Pick<Definitions, 'projections'>,
    @Inject(ProjectionLagReader) private readonly lag: Pick<ProjectionLagReader, 'of'>,
  ) {}

  /**
   * Resolves with the sum of the lags in events and the largest lag in seconds. `now` is in milliseconds.
   * @throws LogUnavailableError
   * @throws ProblemError overloaded
   */
  async measure(now: number): Promise<ConsumerLag> {
    const running = this.definitions.projections
      .all()
      .filter(({ paused, failure }) => !paused && failure === null);
    const found = await this.lag.of(running.flatMap(({ serving }) => serving ?? []));
    const total: ConsumerLag = { lag_events: 0, lag_seconds: 0 };
    const clocks = new Map<string, TimeLagEstimator>();
    for (const [build, { lag: behind, total: end }] of found) {
      const clock = this.clocks.get(build) ?? new TimeLagEstimator();
      clocks.set(build, clock);
      const seconds = clock.observe({ end, committed: end - behind }, now);
      total.lag_events += behind;
      total.lag_seconds = Math.max(total.lag_seconds, Math.round(seconds * 1000) / 1000);
    }
    this.clocks = clocks;
    publishLagMetrics('processor', total);
    return total;
  }
}
