import { Module } from '@nestjs/common';
import { LiveModule } from '../live/live.module.js';
import { ChangeStreamOpener } from './changes/change-stream-opener.js';
import { ProjectionsFollower } from './changes/projections-follower.js';
import { StateChangesController } from './changes/state-changes.controller.js';
import { ProjectionDefinitionEditor } from './projection-definition-editor.js';
import { ProjectionStatsReader } from './projection-stats-reader.js';
import { ProjectionResource } from './projection-resource.js';
import { projectionControllers } from './projection-routes.js';
import { ProjectionServicesModule } from './projection-services.module.js';
import { ProjectionStateReader } from './states/projection-state-reader.js';
import { ProjectionStatesController } from './states/projection-states.controller.js';

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
    ProjectionDefinitionEditor,
    ProjectionStatsReader,
    ProjectionStateReader,
    ProjectionsFollower,
    ChangeStreamOpener,
  ],
})
export class ProjectionsModule {}
