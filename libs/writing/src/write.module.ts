import { Module, type DynamicModule } from '@nestjs/common';
import { EventsController } from './events.controller.js';
import { CloudEventsController } from './cloudevents/cloud-events.controller.js';
import { WebhookHandshakeController } from './cloudevents/webhook-handshake.controller.js';
import { EventWriteService } from './event-write-service.js';
import { OtlpController } from './otlp/otlp.controller.js';
import { RawController } from './raw/raw.controller.js';
import { StreamCreationController } from './stream-creation.controller.js';
import { WRITE_DEPENDENCIES, type WriteDependencies } from './write-dependencies.js';

/**
 * Nest module with the controllers of all write routes. The app `ingest` mounts it, and the gateway mounts it on its
 * ports.
 */
@Module({})
export class WriteModule {
  static with(ports: WriteDependencies): DynamicModule {
    return {
      module: WriteModule,
      controllers: [
        EventsController,
        RawController,
        CloudEventsController,
        ...(ports.webhookOrigins.length > 0 ? [WebhookHandshakeController] : []),
        OtlpController,
        StreamCreationController,
      ],
      providers: [{ provide: WRITE_DEPENDENCIES, useValue: ports }, EventWriteService],
    };
  }
}
