import { Module } from '@nestjs/common';
import { EventStreamController } from './event-stream.controller.js';
import { LiveModule } from './live/live.module.js';
import { EventCountController } from './event-count.controller.js';
import { EventQueryController } from './event-query.controller.js';
import { EventController } from './event.controller.js';

/** Queries and live streams of events. */
@Module({
  imports: [LiveModule],
  controllers: [EventQueryController, EventCountController, EventStreamController, EventController],
})
export class EventsModule {}
