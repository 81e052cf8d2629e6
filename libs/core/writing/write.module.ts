import { Module, type DynamicModule } from '@nestjs/common';
import { LOG, PROCESS, PRODUCER } from '#app';
import { TopicAndGroupNames } from '#event';
import type { ProcessContext } from '#http';
import type { Log, Producer } from '#kafka';
import { VerdictTable } from '#verdicts';
import { EventsController } from './events.controller.js';
import { CloudEventsController } from './cloudevents/cloud-events.controller.js';
import { WebhookHandshakeController } from './cloudevents/webhook-handshake.controller.js';
import { EventWriteService } from './event-write-service.js';
import { OtlpController } from './otlp/otlp.controller.js';
import { RawController } from './raw/raw.controller.js';
import { StreamCreationController } from './stream-creation.controller.js';
import { EVENT_PRODUCER, MeteredProducer } from './metered-producer.js';
import { traced } from './traced-producer.js';
import type { WriteSettings } from './write-settings.js';

/**
 * Nest module with the controllers of all write routes. The app `ingest` mounts it, and the gateway mounts it on its
 * ports.
 */
@Module({})
export class WriteModule {
  static with({ CLOUDEVENTS_ALLOWED_ORIGINS: origins }: WriteSettings): DynamicModule {
    return {
      module: WriteModule,
      global: true,
      controllers: [
        EventsController,
        RawController,
        CloudEventsController,
        ...(origins.length > 0 ? [WebhookHandshakeController] : []),
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
      exports: [EVENT_PRODUCER],
    };
  }
}
