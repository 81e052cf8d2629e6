import { Module } from '@nestjs/common';
import { VisiblePipelines } from './visible-pipelines.js';

/** Services of pipelines that other features use. */
@Module({ providers: [VisiblePipelines], exports: [VisiblePipelines] })
export class PipelineServicesModule {}
