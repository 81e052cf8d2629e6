import type { Logger } from '#telemetry';
import { LiveConnections, type LiveTimes } from './live-connections.js';

/** What a spec replaces of the connections of a process. */
export interface GivenConnections extends Partial<LiveTimes> {
  maxStreams?: number;
  maxStreamsPerKey?: number;
}

/** Connections that look every 5 ms whether a stream may go on. */
export function givenConnections(
  logger: Logger,
  { maxStreams = 500, maxStreamsPerKey = 100, ...times }: GivenConnections,
): LiveConnections {
  const bounds = { LIVE_STREAMS: maxStreams, LIVE_STREAMS_PER_KEY: maxStreamsPerKey };
  return new LiveConnections(logger, bounds, { checkMs: 5, ...times });
}
