import { Module } from '@nestjs/common';
import { ProjectionServicesModule } from '#features/projections';
import { WebhookAddressPolicy, WebhookSettings } from '#features/pipelines/webhooks';
import { DryRunController } from './gateway/dry-run/dry-run.controller.js';
import { PipelineDryRunner } from './gateway/dry-run/pipeline-dry-runner.js';
import { PipelineDefinitionEditor } from './gateway/pipeline-definition-editor.js';
import { PipelineLagReader } from './gateway/pipeline-lag-reader.js';
import { PipelineResource } from './gateway/pipeline-resource.js';
import { pipelineControllers } from './gateway/pipeline-routes.js';
import { PipelineServicesModule } from './gateway/pipeline-services.module.js';
import { PipelineStatsReader } from './gateway/pipeline-stats-reader.js';
import { PipelineReferenceChecker } from './gateway/pipeline-reference-checker.js';

/** Nest module of the routes of pipelines. */
@Module({
  imports: [ProjectionServicesModule, PipelineServicesModule],
  controllers: [pipelineControllers.all, DryRunController, pipelineControllers.one],
  providers: [
    PipelineReferenceChecker,
    PipelineResource,
    PipelineDefinitionEditor,
    PipelineLagReader,
    PipelineStatsReader,
    PipelineDryRunner,
    {
      provide: WebhookAddressPolicy,
      inject: [WebhookSettings],
      useFactory: (settings: WebhookSettings) => new WebhookAddressPolicy(settings.WEBHOOK_ALLOWED_NETWORKS),
    },
  ],
})
export class PipelinesModule {}
