import type { StoredEvent } from '#event';
import type { EventFilter } from './query-types.js';

/** Offset range of one partition: `from` inclusive, `until` exclusive. */
export interface OffsetRange {
  stream: string;
  partition: number;
  from: number;
  until: number;
}

/** Maximum number of offsets in the range of one call of `EventWriter.stored`. */
export const maxRangeOffsets = 65_536;

/** Maximum number of offset ranges in one query. */
export const maxOffsetRanges = 64;

/** A query for matching events in the given offset ranges, in log order. */
export interface LogOrderQuery extends Omit<EventFilter, 'streams'> {
  /** At most `maxOffsetRanges`; each range is of a different partition. */
  ranges: readonly OffsetRange[];
  limit: number;
  /**
   * Approximate limit in bytes on the answer in the store's format; a larger answer throws
   * QueryTooExpensiveError.
   */
  maxBytes: number;
}

/** Maximum number of event ids in one query. */
export const maxStoredIds = 5_000;

/** A query for which of these event ids are stored in these offset ranges. */
export interface StoredIdsQuery {
  /** At most `maxOffsetRanges`. */
  ranges: readonly OffsetRange[];
  /** At most `maxStoredIds`. */
  ids: readonly string[];
}

export interface LogOrderPage {
  /** The matching events, each once, ordered by stream, partition and offset. */
  events: StoredEvent[];
  /**
   * For each range, in the order of the ranges, the offset up to which it has been read. Every matching event
   * below this offset is in the page.
   */
  next: number[];
}

/**
 * The position of a row in the log. Stream names are ASCII, so JavaScript and ClickHouse order them alike.
 */
interface LogPosition {
  stream: string;
  partition: number;
  offset: number;
}

/**
 * Returns the offset up to which each range has been read. `last` is the last row of a full page; undefined
 * means that the page was not full, so all ranges have been read.
 */
export function nextOffsets(ranges: readonly OffsetRange[], last: LogPosition | undefined): number[] {
  return ranges.map(({ stream, partition, from, until }) => {
    if (!last) return until;
    if (stream === last.stream && partition === last.partition) return last.offset + 1;
    const before = stream === last.stream ? partition < last.partition : stream < last.stream;
    return before ? until : from;
  });
}

/** @throws RangeError for more than `maxOffsetRanges` ranges or more than `maxStoredIds` ids */
export function assertStoredIdsBounded({ ranges, ids }: StoredIdsQuery): void {
  assertRangesBounded(ranges);
  if (ids.length > maxStoredIds) throw new RangeError(`at most ${maxStoredIds} ids at once`);
}

export function assertRangesBounded(ranges: readonly OffsetRange[]): void {
  if (ranges.length > maxOffsetRanges) throw new RangeError(`at most ${maxOffsetRanges} ranges at once`);
}
