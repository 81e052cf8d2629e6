import type { StoredEvent } from '#event';
import type { EventFilter } from './questions.js';

/** Offsets of one partition: from `from` on, below `until`. */
export interface OffsetRange {
  stream: string;
  partition: number;
  from: number;
  until: number;
}

/** Offsets that one question for what is stored may span. */
export const maxRangeOffsets = 65_536;

/** Ranges of one question. */
export const maxOffsetRanges = 64;

/** Events by where they lie in the log: which ones, of these ranges. */
export interface LogOrderQuery extends Omit<EventFilter, 'streams'> {
  /** At most `maxOffsetRanges`, each of another partition. */
  ranges: readonly OffsetRange[];
  limit: number;
  /** Bytes of the answer in the store's form, about; more than that is a QueryTooExpensiveError. */
  maxBytes: number;
}

/** Ids of one question. */
export const maxStoredIds = 5_000;

/** Which events are there: of these ids, in these ranges. */
export interface StoredIdsQuery {
  /** At most `maxOffsetRanges`. */
  ranges: readonly OffsetRange[];
  /** At most `maxStoredIds`. */
  ids: readonly string[];
}

export interface LogOrderPage {
  /** By stream, partition and offset; each event once. */
  events: StoredEvent[];
  /** How far each range has been read, in the ranges' order: all of it below this offset is in the page, or does not match. */
  next: number[];
}

/** A row's place. Names of streams are ASCII: the engine and we compare them alike. */
interface Place {
  stream: string;
  partition: number;
  offset: number;
}

/** How far the ranges have been read when this was the last row of a full page; undefined is a page that was not full. */
export function readTo(ranges: readonly OffsetRange[], last: Place | undefined): number[] {
  return ranges.map(({ stream, partition, from, until }) => {
    if (!last) return until;
    if (stream === last.stream && partition === last.partition) return last.offset + 1;
    const before = stream === last.stream ? partition < last.partition : stream < last.stream;
    return before ? until : from;
  });
}

/** @throws RangeError when there are more than one question may have */
export function assertStoredIds({ ranges, ids }: StoredIdsQuery): void {
  assertRanges(ranges);
  if (ids.length > maxStoredIds) throw new RangeError(`at most ${maxStoredIds} ids at once`);
}

export function assertRanges(ranges: readonly OffsetRange[]): void {
  if (ranges.length > maxOffsetRanges) throw new RangeError(`at most ${maxOffsetRanges} ranges at once`);
}
