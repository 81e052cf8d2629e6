import type { Definitions, StreamDefinition } from '#registry';
import { streamKey, type CatchUpRange, type LivePosition } from './live-position.js';
import type { SameFilterLiveStreams } from './same-filter-live-streams.js';

/** When a live stream delivers an event; the first is the default. */
export const liveDeliveries = ['stored', 'accepted'] as const;
/**
 * When a live stream delivers an event: once the event is stored and can be queried, or once it is accepted, which is when the
 * log has it and it is neither a duplicate nor a refused conditional event.
 */
export type LiveDelivery = (typeof liveDeliveries)[number];

/** Follows the log for all groups of live streams of the process with the same delivery, while there is one. */
export interface LiveEventsFollower {
  /**
   * Follows the log for this group from now on. Resolves when the group has a cursor.
   * @throws ProblemError 503 `log_unavailable`, and the signal's reason
   */
  join(group: SameFilterLiveStreams, signal: AbortSignal): Promise<LivePosition>;
  leave(group: SameFilterLiveStreams): void;
  /** Resolves after the next attempt to read new events, whether it succeeds or fails. */
  nextRound(signal: AbortSignal): Promise<void>;
  /** Returns the name of a followed stream; undefined for a stream that is not, or no longer, followed. */
  streamOf(key: string): string | undefined;
  /** Returns the parts of these ranges, below the cursors of the groups, that the store has already. */
  stored(ranges: readonly CatchUpRange[]): Promise<readonly CatchUpRange[]>;
}

/** Returns the definitions of the streams that exist and that one of the groups wants. */
export function streamsDesiredBy(
  groups: readonly SameFilterLiveStreams[],
  definitions: Pick<Definitions, 'streams'>,
): StreamDefinition[] {
  return definitions
    .streams()
    .filter(({ stream, state }) => state === 'live' && groups.some(({ filter }) => filter.wants(stream)));
}

/**
 * Returns what is followed for the groups from now on, by the key of the stream in positions, and removes all other
 * streams from the cursors of the groups.
 * @param toFollow returns what is followed of a stream
 */
export function followedBy<Followed>(
  groups: readonly SameFilterLiveStreams[],
  definitions: Pick<Definitions, 'streams'>,
  toFollow: (key: string, definition: StreamDefinition) => Followed,
): Map<string, Followed> {
  const streams = new Map(
    streamsDesiredBy(groups, definitions).map((definition) => {
      const key = streamKey(definition.id);
      return [key, toFollow(key, definition)] as const;
    }),
  );
  for (const { cursor } of groups) cursor?.keepOnly((key) => streams.has(key));
  return streams;
}
