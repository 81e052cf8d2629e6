import type { Feature } from '#app';
import { DedupeSettings } from '#dataflow';
import { EventsModule } from './events.module.js';
import { LiveSettings } from './live/live-settings.js';

/** Queries, counts and live streams of events. */
export const events: Feature = {
  name: 'events',
  settings: [LiveSettings, DedupeSettings],
  gateway: EventsModule,
};

export { ConsistentEventReadParameters } from './event-parameters.js';
export { inTimeSlices } from './send-page.js';
export {
  sendStreamHeaders,
  DescribeEventStream,
  eventStreamType,
  requireEventStreamAccepted,
} from './live/event-stream-answer.js';
export { LiveConnections, type ServedLiveStream, type StreamingCaller } from './live/live-connections.js';
export { isTransient } from './live/live-event-stream.js';
export { liveChanges } from './live/live-connections.js';
export { maxIdCharacters, LivePosition, bindingOf, streamKey } from './live/live-position.js';
export { invalidLastEventId } from './live/live-problems.js';
export { LiveSettings } from './live/live-settings.js';
export { AcceptedEventsReader } from './live/accepted-events-reader.js';
export { LiveModule } from './live/live.module.js';
export { ResumeIdSpacer } from './live/resume-id-spacer.js';
export { ServerSentEventWriter } from './live/server-sent-event-writer.js';
export { startMessage, positionMessage } from './live/server-sent-event-writer.js';
export { SharedPoller } from './live/shared-poller.js';
export { storeOutage, type StoreOutageTracker } from './live/live-event-stream.js';
