import type { EpochMicros } from '#json';

/**
 * One event as a row for ClickHouse. `stream` is the stream's id. The tuple (stream, partition, offset) identifies the
 * event.
 */
export interface EventRow {
  stream: string;
  partition: number;
  offset: number;
  event_id: string;
  event_type: string;
  entity_id: string | null;
  version: number | null;
  timestamp: EpochMicros;
  ingested_at: EpochMicros;
  schema_version: number | null;
  /** The event's `metadata`, as the JSON text of an object. */
  metadata: string;
  /** The event's `data`, as the JSON text of an object. */
  data: string;
}
