import { Module } from '@nestjs/common';
import { LiveModule } from '#features/events';
import { ChangeStreamOpener } from './gateway/changes/change-stream-opener.js';
import { ProjectionsFollower } from './gateway/changes/projections-follower.js';
import { StateChangesController } from './gateway/changes/state-changes.controller.js';
import { ProjectionLagReader } from './gateway/projection-lag-reader.js';
import { ProjectionStatsReader } from './gateway/projection-stats-reader.js';
import { ProjectionResource } from './gateway/projection-resource.js';
import { projectionControllers } from './gateway/projection-routes.js';
import { ProjectionStateReader } from './gateway/states/projection-state-reader.js';
import { ProjectionStatesController } from './gateway/states/projection-states.controller.js';
import { VisibleProjections } from './gateway/visible-projections.js';

/** Services of projections that other features use. */
@Module({
  providers: [VisibleProjections, ProjectionLagReader],
  exports: [VisibleProjections, ProjectionLagReader],
})
export class ProjectionServicesModule {}

/** Nest module of the routes of projections and their states. */
@Module({
  imports: [LiveModule, ProjectionServicesModule],
  controllers: [
    projectionControllers.all,
    projectionControllers.one,
    ProjectionStatesController,
    StateChangesController,
  ],
  providers: [
    ProjectionResource,
    ProjectionStatsReader,
    ProjectionStateReader,
    ProjectionsFollower,
    ChangeStreamOpener,
  ],
})
export class ProjectionsModule {}
