import { Inject, Module } from '@nestjs/common';
import { DEFINITIONS, LOG, PROCESS } from '#app';
import type { ProcessContext } from '#http';
import type { Log } from '#kafka';
import type { Definitions } from '#registry';
import type { Store } from '#store';
import { onScrape } from '#telemetry';
import { PipelineServicesModule } from '#features/pipelines';
import { ProjectionServicesModule } from '#features/projections';
import { LIVE_STORE } from '#gateway-kit';
import { publishDefinitionMetrics } from './definition-metrics.js';
import { failedJobs, HealthHistory, historyIntervalMs } from './health-history.js';
import { JobHistory } from './jobs/job-history.js';
import { JobHistoryController } from './jobs/job-history.controller.js';
import { JobMeasurer, materializerJob } from './jobs/job-measurer.js';
import { MaterializerLagReader } from './materializer-lag-reader.js';
import { ProcessorLagReader } from './processor-lag-reader.js';
import { registerChecks } from './register-checks.js';
import { HealthHistoryController } from './health-history.controller.js';

/** Nest module that measures the lag of the materializer and of the processors, and registers the health checks. */
@Module({
  imports: [ProjectionServicesModule, PipelineServicesModule],
  providers: [MaterializerLagReader, ProcessorLagReader, HealthHistory, JobHistory, JobMeasurer],
  exports: [MaterializerLagReader, HealthHistory, JobHistory],
})
export class HealthModule {
  constructor(
    @Inject(PROCESS) { health, lifecycle }: ProcessContext,
    @Inject(LOG) log: Log,
    @Inject(LIVE_STORE) store: Store,
    @Inject(DEFINITIONS) definitions: Definitions,
    lag: MaterializerLagReader,
    processor: ProcessorLagReader,
    history: HealthHistory,
    jobs: JobMeasurer,
    jobHistory: JobHistory,
  ) {
    registerChecks(health, { log, store, definitions, lag, processor, history });
    const unpublish = onScrape(() => publishDefinitionMetrics(definitions));
    const following: (() => void)[] = [];
    lifecycle.onStart(async () => {
      following.push(processor.follow(historyIntervalMs, (lags) => jobs.addLags(lags)));
      following.push(jobs.follow());
      const stop = lag.follow(historyIntervalMs, (materializer) => {
        history.add({ materializer, failed_jobs: failedJobs(definitions) });
        jobHistory.addLag(materializerJob, materializer);
      });
      following.push(stop);
    });
    lifecycle.onStop('lag', async () => {
      for (const stop of following) stop();
      unpublish();
    });
  }
}

/** Nest module of the routes of the health history and of the jobs' history. */
@Module({
  imports: [HealthModule, ProjectionServicesModule, PipelineServicesModule],
  controllers: [HealthHistoryController, JobHistoryController],
})
export class HealthHistoryModule {}
