import { Module } from '@nestjs/common';
import { LiveModule } from '../live/live.module.js';
import { ChangeStreams } from './changes/change-streams.js';
import { ProjectionFollower } from './changes/projection-follower.js';
import { StateChangesController } from './changes/state-changes.controller.js';
import { ProjectionChanges } from './projection-changes.js';
import { ProjectionLag } from './projection-lag.js';
import { ProjectionLifecycleController } from './projection-lifecycle.controller.js';
import { ProjectionStats } from './projection-stats.js';
import { ProjectionController } from './projection.controller.js';
import { ProjectionsController } from './projections.controller.js';
import { ProjectionStates } from './states/projection-states.js';
import { ProjectionStatesController } from './states/projection-states.controller.js';
import { VisibleProjections } from './visible-projections.js';

/** Nest module of the routes of projections and their states. */
@Module({
  imports: [LiveModule],
  controllers: [
    ProjectionsController,
    ProjectionController,
    ProjectionLifecycleController,
    ProjectionStatesController,
    StateChangesController,
  ],
  providers: [
    VisibleProjections,
    ProjectionChanges,
    ProjectionLag,
    ProjectionStats,
    ProjectionStates,
    ProjectionFollower,
    ChangeStreams,
  ],
  exports: [VisibleProjections, ProjectionLag],
})
export class ProjectionsModule {}
