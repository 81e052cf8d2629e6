import { Module } from '@nestjs/common';
import { SnapshotsController } from './snapshots.controller.js';

/** Nest module of the routes of entity snapshots. */
@Module({ controllers: [SnapshotsController] })
export class SnapshotsModule {}
