import { Module } from '@nestjs/common';
import { ProjectionLagReader } from './projection-lag-reader.js';
import { VisibleProjections } from './visible-projections.js';

/** Services of projections that other features use. */
@Module({
  providers: [VisibleProjections, ProjectionLagReader],
  exports: [VisibleProjections, ProjectionLagReader],
})
export class ProjectionServicesModule {}
