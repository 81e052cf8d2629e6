import { Module, type DynamicModule } from '@nestjs/common';
import { DEFINITIONS, LOG, PROCESS, PRODUCER } from '#app';
import { TopicAndGroupNames } from '#event';
import type { ProcessContext } from '#http';
import type { Log, Producer } from '#kafka';
import type { Definitions } from '#registry';
import { VerdictTable } from '#verdicts';
import { EventsController } from './events.controller.js';
import { CloudEventsController } from './cloudevents/cloud-events.controller.js';
import { WebhookHandshakeController } from './cloudevents/webhook-handshake.controller.js';
import { EventWriteService } from './event-write-service.js';
import { OtlpController } from './otlp/otlp.controller.js';
import { RawController } from './raw/raw.controller.js';
import { StreamCreationController } from './stream-creation.controller.js';
import { MeteredProducer } from './metered-producer.js';
import { traced } from './traced-producer.js';
import { WRITE_DEPENDENCIES, type WriteDependencies, type WriteSettings } from './write-dependencies.js';

/** Injection token of the `Producer` of events, whose appends are measured and traced. */
export const EVENT_PRODUCER = Symbol('Producer of events');

/**
 * Nest module with the controllers of all write routes. The app `ingest` mounts it, and the gateway mounts it on its
 * ports.
 */
@Module({})
export class WriteModule {
  static with(settings: WriteSettings): DynamicModule {
    return {
      module: WriteModule,
      global: true,
      controllers: [
        EventsController,
        RawController,
        CloudEventsController,
        ...(settings.webhookOrigins.length > 0 ? [WebhookHandshakeController] : []),
        OtlpController,
        StreamCreationController,
      ],
      providers: [
        {
          provide: EVENT_PRODUCER,
          inject: [PROCESS, PRODUCER],
          useFactory: ({ tracing }: ProcessContext, producer: Producer) =>
            traced(new MeteredProducer(producer), tracing),
        },
        {
          provide: WRITE_DEPENDENCIES,
          inject: [PROCESS, LOG, EVENT_PRODUCER, DEFINITIONS, TopicAndGroupNames],
          useFactory: (
            { lifecycle }: ProcessContext,
            log: Log,
            producer: Producer,
            definitions: Definitions,
            topics: TopicAndGroupNames,
          ): WriteDependencies => {
            const verdicts = new VerdictTable({ log, names: topics });
            lifecycle.onStop('verdicts', () => verdicts.close());
            return { producer, definitions, topics, verdicts, ...settings };
          },
        },
        EventWriteService,
      ],
      exports: [EVENT_PRODUCER],
    };
  }
}
