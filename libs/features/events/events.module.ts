import { Module } from '@nestjs/common';
import { EventReadController } from './events.controller.js';
import { LiveModule } from './live/live.module.js';

/** Queries and live streams of events. */
@Module({ imports: [LiveModule], controllers: [EventReadController] })
export class EventsModule {}
