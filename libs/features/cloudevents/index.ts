import { Module, type DynamicModule } from '@nestjs/common';
import type { AppConfig } from '#api';
import type { Feature } from '#app';
import { CloudEventsController } from './cloud-events.controller.js';
import { CloudEventsSettings } from './cloudevents-settings.js';
import { WebhookHandshakeController } from './webhook-handshake.controller.js';

/** Nest module of the routes of CloudEvents. Without allowed origins, the route of the handshake does not exist. */
@Module({})
class CloudEventsModule {
  static with({ CLOUDEVENTS_ALLOWED_ORIGINS: origins }: CloudEventsSettings): DynamicModule {
    const handshake = origins.length > 0 ? [WebhookHandshakeController] : [];
    return { module: CloudEventsModule, controllers: [CloudEventsController, ...handshake] };
  }
}

/** CloudEvents over HTTP. */
export const cloudevents: Feature = {
  name: 'cloudevents',
  settings: [CloudEventsSettings],
  writing: (config: AppConfig & Partial<CloudEventsSettings>) =>
    CloudEventsModule.with(config as CloudEventsSettings),
};

export { CloudEventReader } from './cloud-event-reader.js';
export { pointerIn } from './read-cloud-events.js';
export { CloudEventsSettings } from './cloudevents-settings.js';
