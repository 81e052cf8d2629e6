import type { Time } from './json.js';

/** What every event has that is written. */
interface NewEventHead {
  stream: string;
  event_type: string;
  /** What it happened to. Events of one entity keep their order and are counted by version. */
  entity_id?: string | null;
  /** When it happened. Default: when the server receives it. */
  timestamp?: Time | null;
  /** A UUID that no other event has. Default: a UUIDv7. */
  event_id?: string | null;
  /** About the event itself. */
  metadata?: Record<string, string | number | boolean | null> | null;
}

/** An event to write. Its data is an object, or JSON text that is sent as it is, with numbers of any length. */
export type NewEvent = NewEventHead & ({ data: object } | { dataText: string });

/** Where an event that was written is in the log. */
export interface WrittenPosition {
  event_id: string;
  partition: number;
  offset: number;
}

/** The answer to one event that was written. */
export interface WrittenEvent extends WrittenPosition {
  stream: string;
  event_type: string;
  entity_id: string | null;
  timestamp: string;
}

/** Why one event of a batch was not written. */
export interface RejectedEvent {
  error: { code: string; status: number; detail: string; errors?: { pointer: string; detail: string }[] };
  /** With lenient handling: where it is kept in the log. */
  partition?: number;
  offset?: number;
}

/** The answer to a batch: a position or an error for each event, in order. */
export interface BatchWritten {
  accepted: number;
  rejected: number;
  events: (WrittenPosition | RejectedEvent)[];
}

/** Which events: of these streams, types and entities, in this time. */
export interface EventFilter {
  stream?: string | readonly string[];
  event_type?: string | readonly string[];
  event_type_prefix?: string;
  entity_id?: string | readonly string[];
  /** Events that happened at this time or later. */
  since?: Time;
  /** Events that happened before this time. */
  until?: Time;
  /** A CEL expression over the event. */
  where?: string;
}

/** Positions that a read waits for, `stream:partition:offset`: `client.afterWrites()` has them. */
export interface WaitFor {
  wait_for?: readonly string[];
}

export interface EventQuery extends EventFilter, WaitFor {
  /** By the time the event happened. */
  order?: 'asc' | 'desc';
  /** Events of one page, 100 by default. Iterating reads every page. */
  limit?: number;
  /** Where to go on: `next_cursor` of a page of the same query. */
  cursor?: string;
}

export interface CountQuery extends EventFilter, WaitFor {
  group_by?: 'stream' | 'event_type' | 'entity_id';
  /** Counts each span of this length by itself: `30s`, `5m`, `1h`, `1d`. */
  interval?: string;
}

/** The forms of an export. */
export type ExportFormat = 'parquet' | 'arrow' | 'ndjson' | 'csv';

export interface ExportQuery extends EventFilter, WaitFor {
  /** Default: `ndjson`. */
  format?: ExportFormat;
  /** In CSV: an apostrophe stands before each character that a spreadsheet could begin a formula with. */
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
