import { Module } from '@nestjs/common';
import { ProjectionServicesModule } from '#features/projections';
import { WebhookAddressPolicy, WebhookSettings } from '#features/webhooks';
import { DryRunController } from './gateway/dry-run/dry-run.controller.js';
import { PipelineDryRunner } from './gateway/dry-run/pipeline-dry-runner.js';
import { PipelineLagReader } from './gateway/pipeline-lag-reader.js';
import { PipelineResource } from './gateway/pipeline-resource.js';
import { pipelineControllers } from './gateway/pipeline-routes.js';
import { PipelineStatsReader } from './gateway/pipeline-stats-reader.js';
import { PipelineReferenceChecker } from './gateway/pipeline-reference-checker.js';
import { VisiblePipelines } from './gateway/visible-pipelines.js';

/** Services of pipelines that other features use. */
@Module({ providers: [VisiblePipelines, PipelineLagReader], exports: [VisiblePipelines, PipelineLagReader] })
export class PipelineServicesModule {}

/** Nest module of the routes of pipelines. */
@Module({
  imports: [ProjectionServicesModule, PipelineServicesModule],
  controllers: [pipelineControllers.all, DryRunController, pipelineControllers.one],
  providers: [
    PipelineReferenceChecker,
    PipelineResource,
    PipelineStatsReader,
    PipelineDryRunner,
    {
      provide: WebhookAddressPolicy,
      inject: [WebhookSettings],
      useFactory: ({ WEBHOOK_ALLOWED_NETWORKS: networks, WEBHOOK_FORBIDDEN_PORTS: ports }: WebhookSettings) =>
        new WebhookAddressPolicy(networks, ports),
    },
  ],
})
export class PipelinesModule {}
