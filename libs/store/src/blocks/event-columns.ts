import type { RecordReader } from '#event';
import type { RowBinaryWriter } from './row-binary.js';

/** The columns of `events` in the order in which blocks hold them. */
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
 * Writes the columns after the first two, of a record that was read: its texts are copied as they are. The version is to be
 * set later.
 */
export function writeRecord(out: RowBinaryWriter, record: RecordReader, offset: number): void {
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
