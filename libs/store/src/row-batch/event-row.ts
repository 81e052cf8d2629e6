import type { EpochMicros } from '#event';

/** One event as the materializer writes it. The tuple (stream, partition, offset) identifies it. */
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
  /** JSON text of an object. */
  metadata: string;
  /** JSON text of an object. */
  data: string;
}
