import { Module } from '@nestjs/common';
import { LiveConnections } from './live-connections.js';
import { LiveStreams } from './live-streams.js';
import { LogFollower } from './log-follower.js';

/** Live streams of events. Streams of projection changes share their limits. */
@Module({
  providers: [LiveConnections, LogFollower, LiveStreams],
  exports: [LiveConnections, LiveStreams],
})
export class LiveModule {}
