import { Module } from '@nestjs/common';
import { EntitiesController } from './entities.controller.js';
import { EntityStateController } from './entity-state.controller.js';
import { EntitySnapshotsController } from './entity-snapshots.controller.js';

/** Nest module of the routes of entities, their state and their snapshots. */
@Module({ controllers: [EntitiesController, EntityStateController, EntitySnapshotsController] })
export class EntitiesModule {}
