import type { OffsetRange } from './log-order.js';

/** An event of which at least one table has the row. */
export interface ScrubbedEvent {
  offset: number;
  /** The event id as a UUID in lower case. */
  event_id: string;
  /** Whether every table has what it must have of the event; see `EventWriter.storedEvents`. */
  complete: boolean;
}

/** What the store remembers of the offsets of a range, apart from the rows of the events. Offsets are in any order. */
export interface RememberedOffsets {
  /** Offsets at which an event was stored once. */
  stored: number[];
  /** Offsets whose events were removed since: erased, or past their retention. */
  removed: number[];
  /** Offsets of records that became dead letters of the materializer. */
  deadLetters: number[];
}

/** The version of an entity at an offset, as one table has it. */
export interface KnownVersion {
  entity_id: string;
  offset: number;
  version: number;
  /** Id of the event at the offset; null if only the table `entities` has the version. */
  event_id: string | null;
}

/** A query for the stored versions of entities around an offset range of one partition. */
export interface KnownVersionsQuery extends OffsetRange {
  entityIds: readonly string[];
}

/** Maximum number of offsets in the range of one call of `ScrubReader.unequalRanges`. */
export const maxUnequalOffsets = 2_097_152;

/** A range of offsets, from the first inclusive to the last exclusive. */
export interface ScrubbedOffsets {
  from: number;
  until: number;
}

/** Reads what the scrub compares with the log. All methods throw StoreUnavailableError when a retry may succeed. */
export interface ScrubReader {
  /**
   * Returns ranges that include every offset of the range at which only one of `events` and `events_by_entity` has an
   * event of an entity. The call reads all offsets of the partition in `events_by_entity`, which is not ordered by them.
   * @param range At most `maxUnequalOffsets` offsets.
   */
  unequalRanges(range: OffsetRange): Promise<ScrubbedOffsets[]>;
  /**
   * Returns the events of an offset range of which `events` or `events_by_entity` has a row, ordered by offset.
   * @param range At most `maxRangeOffsets` offsets.
   * @param isEqual Whether both tables are known to have the same events of entities; then only `events` is read.
   */
  eventsIn(range: OffsetRange, isEqual: boolean): Promise<ScrubbedEvent[]>;
  /**
   * Returns what the store remembers of the offsets of a range. An offset is remembered as removed before its event is
   * removed, so a caller asks after it found an event missing.
   * @param range At most `maxRangeOffsets` offsets.
   */
  rememberedOffsets(range: OffsetRange): Promise<RememberedOffsets>;
  /** Returns the smallest offset of a partition whose event was removed; undefined if no event was removed. */
  firstRemovedOffset(stream: string, partition: number): Promise<number | undefined>;
  /**
   * Returns for each entity the version of each of its events in the range, of its last event before and its first event
   * after the range, and its latest version. A version can be returned twice.
   */
  knownVersions(query: KnownVersionsQuery): Promise<KnownVersion[]>;
}
