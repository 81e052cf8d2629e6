import { Global, Module } from '@nestjs/common';
import { LOG, PROCESS, PRODUCER } from '#app';
import { TopicAndGroupNames } from '#event';
import type { ProcessContext } from '#http';
import type { Log, Producer } from '#kafka';
import { VerdictTable } from '#verdicts';
import { EventsController } from './events.controller.js';
import { EventWriteService } from './event-write-service.js';
import { StreamCreationController } from './stream-creation.controller.js';
import { EVENT_PRODUCER, MeteredProducer } from './metered-producer.js';
import { traced } from './traced-producer.js';

/** Nest module of the write routes that every writing app has, and of what writes the events of all write routes. */
@Global()
@Module({
  controllers: [EventsController, StreamCreationController],
  providers: [
    {
      provide: EVENT_PRODUCER,
      inject: [PROCESS, PRODUCER],
      useFactory: ({ tracing }: ProcessContext, producer: Producer) =>
        traced(new MeteredProducer(producer), tracing),
    },
    {
      provide: VerdictTable,
      inject: [PROCESS, LOG, TopicAndGroupNames],
      useFactory: ({ lifecycle }: ProcessContext, log: Log, names: TopicAndGroupNames) => {
        const verdicts = new VerdictTable({ log, names });
        lifecycle.onStop('verdicts', () => verdicts.close());
        return verdicts;
      },
    },
    EventWriteService,
  ],
  exports: [EVENT_PRODUCER, EventWriteService],
})
export class WriteModule {}
