import { Module } from '@nestjs/common';
import { EventReadController } from './events.controller.js';
import { WhereHintReader } from './hints/where-hint-reader.js';
import { LiveModule } from './live/live.module.js';

/** Queries and live streams of events. */
@Module({ imports: [LiveModule], controllers: [EventReadController], providers: [WhereHintReader] })
export class EventsModule {}
