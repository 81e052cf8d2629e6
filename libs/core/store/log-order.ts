import type { StoredEvent } from '#event';
import type { EventFilter } from './query-types.js';

/** A range of offsets in one partition of a stream: `from` inclusive, `until` exclusive. */
export interface OffsetRange {
  stream: string;
  partition: number;
  from: number;
  until: number;
}

/** Offset and event id of an event that is stored in ClickHouse. */
export interface OffsetAndEventId {
  offset: number;
  /** The event id as a UUID in lower case. */
  event_id: string;
}

/** Events of one partition of a stream (by its id), each by its offset and its event id. */
export interface EventsOfPartition {
  stream: string;
  partition: number;
  events: readonly OffsetAndEventId[];
}

/** Maximum number of events in one `EventsOfPartition`. */
export const maxEventsOfPartition = 1_000;

/** Maximum number of offsets in the range of one call of `EventWriter.storedEvents`. */
export const maxRangeOffsets = 65_536;

/** Maximum number of offsets in the range of one call of `EventWriter.idsIn`: an answer of 6 MB. */
export const maxIdOffsets = 262_144;

/** Maximum number of offset ranges in one query for events in log order. */
export const maxOffsetRanges = 64;

/** A query for one page of the matching events in the given offset ranges, ordered by stream, partition and offset. */
export interface LogOrderQuery extends Omit<EventFilter, 'streams'> {
  /** At most `maxOffsetRanges`; each range is of a different partition. */
  ranges: readonly OffsetRange[];
  limit: number;
  /** Approximate limit in bytes on the answer of the store; a larger one throws QueryTooExpensiveError. */
  maxBytes: number;
}

/** Maximum number of event ids in one `StoredEventIdsQuery`. */
export const maxStoredIds = 5_000;

/** A query that asks which of these event ids are stored in these offset ranges. */
export interface StoredEventIdsQuery {
  /** At most `maxOffsetRanges`. */
  ranges: readonly OffsetRange[];
  /** At most `maxStoredIds`. */
  ids: readonly string[];
}

/** One page of stored events in log order, and the offset up to which each offset range has been read. */
export interface LogOrderPage {
  /** The matching events, each once, ordered by stream, partition and offset. */
  events: StoredEvent[];
  /** For each range, in their order, the offset below which the page contains every matching event. */
  next: number[];
}

/**
 * Returns the offset up to which each range has been read. `last` is the position of the last row of a full page; without
 * it, all ranges have been read. Stream ids are ASCII, so JavaScript and ClickHouse order them alike.
 */
export function nextOffsets(
  ranges: readonly OffsetRange[],
  last: { stream: string; partition: number; offset: number } | undefined,
): number[] {
  return ranges.map(({ stream, partition, from, until }) => {
    if (!last) return until;
    if (stream === last.stream && partition === last.partition) return last.offset + 1;
    const before = stream === last.stream ? partition < last.partition : stream < last.stream;
    return before ? until : from;
  });
}

/** @throws RangeError for more than `maxOffsetRanges` ranges or more than `maxStoredIds` ids */
export function assertStoredIdsBounded({ ranges, ids }: StoredEventIdsQuery): void {
  assertRangesBounded(ranges);
  if (ids.length > maxStoredIds) throw new RangeError(`at most ${maxStoredIds} ids at once`);
}

export function assertRangesBounded(ranges: readonly OffsetRange[]): void {
  if (ranges.length > maxOffsetRanges) throw new RangeError(`at most ${maxOffsetRanges} ranges at once`);
}
