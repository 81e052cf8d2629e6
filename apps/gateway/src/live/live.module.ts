import { Module } from '@nestjs/common';
import { LiveConnections } from './live-connections.js';
import { LiveStreams } from './live-streams.js';
import { LogFollower } from './log-follower.js';

/** Open streams of events. Those of changes of projections share their bounds. */
@Module({
  providers: [LiveConnections, LogFollower, LiveStreams],
  exports: [LiveConnections, LiveStreams],
})
export class LiveModule {}
