import type { Time } from './json.js';

/** The members of an event that do not identify its entity. */
interface EventMembers {
  event_type: string;
  /** The time when the event happened. Default: when the server receives it. */
  timestamp?: Time | null;
  /** A unique UUID. Default: a UUIDv7. */
  event_id?: string | null;
  /** Metadata of the event. */
  metadata?: Record<string, string | number | boolean | null> | null;
}

/** The common members of a new event. */
interface NewEventMembers extends EventMembers {
  stream: string;
  /** The entity of the event. Events of one entity keep their order and are numbered by version. */
  entity_id?: string | null;
  /**
   * The event is accepted only if this is the version of its entity: the number of its events. `0` means that the entity
   * has no event yet.
   */
  expected_version?: number | null;
}

/** The data of an event is an object, or JSON text that is sent unchanged, with numbers of any length. */
type NewData = { data: object } | { dataText: string };

/** An event to write. */
export type NewEvent = NewEventMembers & NewData;

/** An event to append to an entity, which is named separately. */
export type NewEntityEvent = EventMembers & NewData;

/** The position of a written event in the log. */
export interface WrittenPosition {
  event_id: string;
  partition: number;
  offset: number;
  /** The version of an event with an expected version; null if its entity has been erased since. */
  version?: number | null;
}

/** The answer to one written event. */
export interface WrittenEvent extends WrittenPosition {
  stream: string;
  event_type: string;
  entity_id: string | null;
  timestamp: string;
}

/** The reason why one event of a batch was not written. */
export interface RejectedEvent {
  error: {
    code: string;
    status: number;
    detail: string;
    errors?: { pointer: string; detail: string }[];
    /** With `version_conflict`: the version of the entity. */
    current_version?: number;
  };
  /** The position of its record, if it has one: with lenient handling, or with an expected version. */
  partition?: number;
  offset?: number;
}

/** The answer to a batch: a position or an error for each event, in order. */
export interface BatchWriteResult {
  accepted: number;
  rejected: number;
  events: (WrittenPosition | RejectedEvent)[];
}

/** Selects events by streams, types, entities and time. */
export interface EventFilter {
  stream?: string | readonly string[];
  event_type?: string | readonly string[];
  event_type_prefix?: string;
  entity_id?: string | readonly string[];
  /** Events that happened at or after this time. */
  since?: Time;
  /** Events that happened before this time. */
  until?: Time;
  /** A CEL expression over the event. */
  where?: string;
}

/** Positions that a read waits for, `stream:partition:offset`; `client.afterWrites()` returns them. */
export interface WaitForPositions {
  wait_for?: readonly string[];
}

/** Filters, order and page size of a query for events. */
export interface EventQuery extends EventFilter, WaitForPositions {
  /** Order of the events by the time when they happened. */
  order?: 'asc' | 'desc';
  /** The number of events in a page, 100 by default. Iterating reads all pages. */
  limit?: number;
  /** The `next_cursor` of a page of the same query. */
  cursor?: string;
}

/** Filters and grouping of a count of events. */
export interface EventCountQuery extends EventFilter, WaitForPositions {
  group_by?: 'stream' | 'event_type' | 'entity_id';
  /** Counts each interval of this length separately: `30s`, `5m`, `1h`, `1d`. */
  interval?: string;
  /**
   * The time that `since`, `until` and `interval` refer to: `timestamp` (the default), when an event happened, or
   * `ingested_at`, when Tributary accepted it.
   */
  time?: 'timestamp' | 'ingested_at';
}

/** The formats of an export. */
export type ExportFormat = 'parquet' | 'arrow' | 'ndjson' | 'csv';

/** Filters and format of an export of events. */
export interface EventExportQuery extends EventFilter, WaitForPositions {
  /** Default: `ndjson`. */
  format?: ExportFormat;
  /** In CSV: an apostrophe precedes each character that could begin a spreadsheet formula. */
  csv_safe?: boolean;
}

/** Result of a count of events. */
export interface EventCount {
  buckets: EventCountBucket[];
  total: number;
}

/** Number of events in one interval, of one group, or both. */
export interface EventCountBucket {
  start?: string;
  group?: string | null;
  count: number;
}
