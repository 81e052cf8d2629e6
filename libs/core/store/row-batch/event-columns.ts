import type { EventRecordParser } from '#event';
import type { RowBinaryWriter } from './row-binary.js';

/** The columns of the ClickHouse table `events`, in the order in which row batches encode them. */
export const eventColumns = [
  'stream',
  'partition',
  'offset',
  'event_id',
  'event_type',
  'entity_id',
  'version',
  'timestamp',
  'ingested_at',
  'schema_version',
  'metadata',
  'data',
] as const;

/**
 * Writes all columns after the first two (stream, partition) of a parsed record. Strings are copied as bytes.
 * The version is written as 0 and set later.
 */
export function writeEventColumns(out: RowBinaryWriter, record: EventRecordParser, offset: number): void {
  out.int64(offset);
  out.uuidWords(record.id);
  out.utf8(record.eventType);
  out.utf8(record.entityId);
  out.int64(0);
  out.int64(record.timestamp);
  out.int64(record.ingestedAt);
  out.uint32(record.schemaVersion);
  out.utf8(record.metadata);
  out.utf8(record.data);
}
