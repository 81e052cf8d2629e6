import { Module, type DynamicModule } from '@nestjs/common';
import { CloudEventsController } from './cloud-events.controller.js';
import type { CloudEventsSettings } from './cloudevents-settings.js';
import { WebhookHandshakeController } from './webhook-handshake.controller.js';

/** Nest module of the routes of CloudEvents. Without allowed origins, the route of the handshake does not exist. */
@Module({})
export class CloudEventsModule {
  static with({ CLOUDEVENTS_ALLOWED_ORIGINS: origins }: CloudEventsSettings): DynamicModule {
    const handshake = origins.length > 0 ? [WebhookHandshakeController] : [];
    return { module: CloudEventsModule, controllers: [CloudEventsController, ...handshake] };
  }
}
