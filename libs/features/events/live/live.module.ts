import { Inject, Module } from '@nestjs/common';
import { PROCESS } from '#app';
import type { ProcessContext } from '#http';
import { LiveConnections } from './live-connections.js';
import { AcceptedEventsFollower } from './accepted-events-follower.js';
import { AcceptedEventsReader } from './accepted-events-reader.js';
import { LiveStreamOpener } from './live-stream-opener.js';
import { StoredEventsFollower } from './stored-events-follower.js';

/**
 * Nest module of live streams of events. The module also provides `LiveConnections`, whose limits apply to live streams
 * of projection changes too.
 */
@Module({
  providers: [
    LiveConnections,
    StoredEventsFollower,
    AcceptedEventsReader,
    AcceptedEventsFollower,
    LiveStreamOpener,
  ],
  exports: [LiveConnections, LiveStreamOpener, AcceptedEventsReader],
})
export class LiveModule {
  constructor(
    @Inject(PROCESS) { lifecycle }: ProcessContext,
    connections: LiveConnections,
    accepted: AcceptedEventsReader,
  ) {
    lifecycle.stopping.addEventListener('abort', () => connections.close(), { once: true });
    lifecycle.onStop('accepted events', () => accepted.close());
  }
}
