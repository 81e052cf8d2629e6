import type { Micros } from '#event';

/** One event as the materializer writes it. The tuple (stream, partition, offset) identifies it. */
export interface EventRow {
  stream: string;
  partition: number;
  offset: number;
  event_id: string;
  event_type: string;
  entity_id: string | null;
  version: number | null;
  timestamp: Micros;
  ingested_at: Micros;
  schema_version: number | null;
  /** JSON text of an object. */
  metadata: string;
  /** JSON text of an object. */
  data: string;
}
