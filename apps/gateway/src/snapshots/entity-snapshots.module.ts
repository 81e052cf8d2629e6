import { Module } from '@nestjs/common';
import { EntitySnapshotsController } from './entity-snapshots.controller.js';

/** Nest module of the routes of entity snapshots. */
@Module({ controllers: [EntitySnapshotsController] })
export class EntitySnapshotsModule {}
