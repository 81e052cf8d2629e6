import { Module } from '@nestjs/common';
import { ProjectionsModule } from '../projections/projections.module.js';
import { DryRunController } from './dry-run/dry-run.controller.js';
import { PipelineDryRun } from './dry-run/pipeline-dry-run.js';
import { PipelineChanges } from './pipeline-changes.js';
import { PipelineLag } from './pipeline-lag.js';
import { PipelineLifecycleController } from './pipeline-lifecycle.controller.js';
import { PipelineStats } from './pipeline-stats.js';
import { PipelineController } from './pipeline.controller.js';
import { PipelinesController } from './pipelines.controller.js';
import { PipelineRequirements } from './pipeline-requirements.js';
import { VisiblePipelines } from './visible-pipelines.js';

/** Nest module of the routes of pipelines. */
@Module({
  imports: [ProjectionsModule],
  controllers: [PipelinesController, DryRunController, PipelineController, PipelineLifecycleController],
  providers: [
    VisiblePipelines,
    PipelineRequirements,
    PipelineChanges,
    PipelineLag,
    PipelineStats,
    PipelineDryRun,
  ],
  exports: [VisiblePipelines],
})
export class PipelinesModule {}
