import { Module } from '@nestjs/common';
import { SnapshotsController } from './snapshots.controller.js';

@Module({ controllers: [SnapshotsController] })
export class SnapshotsModule {}
