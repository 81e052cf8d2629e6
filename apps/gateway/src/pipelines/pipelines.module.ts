import { Module } from '@nestjs/common';
import { ProjectionsModule } from '../projections/projections.module.js';
import { DryRunController } from './dry-run/dry-run.controller.js';
import { PipelineDryRunner } from './dry-run/pipeline-dry-runner.js';
import { PipelineDefinitionEditor } from './pipeline-definition-editor.js';
import { PipelineLagReader } from './pipeline-lag-reader.js';
import { PipelineLifecycleController } from './pipeline-lifecycle.controller.js';
import { PipelineStatsReader } from './pipeline-stats-reader.js';
import { PipelineController } from './pipeline.controller.js';
import { PipelinesController } from './pipelines.controller.js';
import { PipelineReferenceChecker } from './pipeline-reference-checker.js';
import { VisiblePipelines } from './visible-pipelines.js';

/** Nest module of the routes of pipelines. */
@Module({
  imports: [ProjectionsModule],
  controllers: [PipelinesController, DryRunController, PipelineController, PipelineLifecycleController],
  providers: [
    VisiblePipelines,
    PipelineReferenceChecker,
    PipelineDefinitionEditor,
    PipelineLagReader,
    PipelineStatsReader,
    PipelineDryRunner,
  ],
  exports: [VisiblePipelines],
})
export class PipelinesModule {}
