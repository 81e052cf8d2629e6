import type { Time } from './json.js';

/** The common members of a new event. */
interface NewEventMembers {
  stream: string;
  event_type: string;
  /** The entity of the event. Events of one entity keep their order and are numbered by version. */
  entity_id?: string | null;
  /** The time when the event happened. Default: when the server receives it. */
  timestamp?: Time | null;
  /** A unique UUID. Default: a UUIDv7. */
  event_id?: string | null;
  /** Metadata of the event. */
  metadata?: Record<string, string | number | boolean | null> | null;
}

/**
 * An event to write. The data of the event is an object, or JSON text that is sent unchanged, with numbers of any
 * length.
 */
export type NewEvent = NewEventMembers & ({ data: object } | { dataText: string });

/** The position of a written event in the log. */
export interface WrittenPosition {
  event_id: string;
  partition: number;
  offset: number;
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
  error: { code: string; status: number; detail: string; errors?: { pointer: string; detail: string }[] };
  /** With lenient handling: the position of the record that keeps it. */
  partition?: number;
  offset?: number;
}

/** The answer to a batch: a position or an error for each event, in order. */
export interface BatchWritten {
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
export interface WaitFor {
  wait_for?: readonly string[];
}

export interface EventQuery extends EventFilter, WaitFor {
  /** The order by the time when events happened. */
  order?: 'asc' | 'desc';
  /** The number of events in a page, 100 by default. Iterating reads all pages. */
  limit?: number;
  /** The `next_cursor` of a page of the same query. */
  cursor?: string;
}

export interface CountQuery extends EventFilter, WaitFor {
  group_by?: 'stream' | 'event_type' | 'entity_id';
  /** Counts each interval of this length separately: `30s`, `5m`, `1h`, `1d`. */
  interval?: string;
}

/** The formats of an export. */
export type ExportFormat = 'parquet' | 'arrow' | 'ndjson' | 'csv';

export interface ExportQuery extends EventFilter, WaitFor {
  /** Default: `ndjson`. */
  format?: ExportFormat;
  /** In CSV: an apostrophe precedes each character that could begin a spreadsheet formula. */
  csv_safe?: boolean;
}

export interface EventCount {
  buckets: EventCountBucket[];
  total: number;
}

export interface EventCountBucket {
  start?: string;
  group?: string | null;
  count: number;
}
