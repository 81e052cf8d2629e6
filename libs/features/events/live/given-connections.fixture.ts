import type { Logger } from '#telemetry';
import { LiveConnections, type LiveTimings } from './live-connections.js';

/** Limits and intervals of `LiveConnections` that a spec replaces. */
export interface GivenConnectionsOptions extends Partial<LiveTimings> {
  maxStreams?: number;
  maxStreamsPerKey?: number;
}

/**
 * Returns `LiveConnections` that check every 5 ms, unless the spec sets `checkMs`, whether each live stream may
 * continue.
 */
export function givenConnections(
  logger: Logger,
  { maxStreams = 500, maxStreamsPerKey = 100, ...times }: GivenConnectionsOptions,
): LiveConnections {
  const bounds = { LIVE_STREAMS: maxStreams, LIVE_STREAMS_PER_KEY: maxStreamsPerKey };
  return new LiveConnections(logger, bounds, { checkMs: 5, ...times });
}
