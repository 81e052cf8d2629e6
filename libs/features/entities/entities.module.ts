import { Module } from '@nestjs/common';
import { EntitiesController } from './entities.controller.js';
import { EntitySnapshotsController } from './entity-snapshots.controller.js';

/** Nest module of the routes of entities, their state and their snapshots. */
@Module({ controllers: [EntitiesController, EntitySnapshotsController] })
export class EntitiesModule {}
