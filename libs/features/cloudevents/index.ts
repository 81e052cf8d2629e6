import type { AppConfig } from '#api';
import type { Feature } from '#app';
import { CloudEventsModule } from './cloudevents.module.js';
import { CloudEventsSettings } from './cloudevents-settings.js';

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
