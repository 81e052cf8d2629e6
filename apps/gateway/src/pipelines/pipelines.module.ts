import { Module } from '@nestjs/common';
import { ProjectionServicesModule } from '../projections/projection-services.module.js';
import { DryRunController } from './dry-run/dry-run.controller.js';
import { PipelineDryRunner } from './dry-run/pipeline-dry-runner.js';
import { PipelineDefinitionEditor } from './pipeline-definition-editor.js';
import { PipelineLagReader } from './pipeline-lag-reader.js';
import { PipelineResource } from './pipeline-resource.js';
import { pipelineControllers } from './pipeline-routes.js';
import { PipelineServicesModule } from './pipeline-services.module.js';
import { PipelineStatsReader } from './pipeline-stats-reader.js';
import { PipelineReferenceChecker } from './pipeline-reference-checker.js';

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
  ],
})
export class PipelinesModule {}
