import { Module } from '@nestjs/common';
import { LiveConnections } from './live-connections.js';
import { LiveStreamOpener } from './live-stream-opener.js';
import { StoredEventsFollower } from './stored-events-follower.js';

/**
 * Nest module of live streams of events. The module also provides `LiveConnections`, whose limits apply to live streams
 * of projection changes too.
 */
@Module({
  providers: [LiveConnections, StoredEventsFollower, LiveStreamOpener],
  exports: [LiveConnections, LiveStreamOpener],
})
export class LiveModule {}
