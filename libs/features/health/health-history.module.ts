import { Module } from '@nestjs/common';
import { HealthModule } from './health.module.js';
import { HealthHistoryController } from './health-history.controller.js';

/** Nest module of the route of the health history. */
@Module({ imports: [HealthModule], controllers: [HealthHistoryController] })
export class HealthHistoryModule {}
