import { Module } from '@nestjs/common';
import { LiveModule } from '../live/live.module.js';
import { ChangeStreamOpener } from './changes/change-stream-opener.js';
import { ProjectionsFollower } from './changes/projections-follower.js';
import { StateChangesController } from './changes/state-changes.controller.js';
import { ProjectionDefinitionEditor } from './projection-definition-editor.js';
import { ProjectionLagReader } from './projection-lag-reader.js';
import { ProjectionLifecycleController } from './projection-lifecycle.controller.js';
import { ProjectionStatsReader } from './projection-stats-reader.js';
import { ProjectionController } from './projection.controller.js';
import { ProjectionsController } from './projections.controller.js';
import { ProjectionStateReader } from './states/projection-state-reader.js';
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
    ProjectionDefinitionEditor,
    ProjectionLagReader,
    ProjectionStatsReader,
    ProjectionStateReader,
    ProjectionsFollower,
    ChangeStreamOpener,
  ],
  exports: [VisibleProjections, ProjectionLagReader],
})
export class ProjectionsModule {}
