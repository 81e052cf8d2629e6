import { RecordReader, UnreadableRecordError, uuidText, type Micros } from '#event';
import type { LogRecord } from '#log';
import type { LogEvent } from '#cel';

/** One for all partitions: what was read is used before anything else is. */
const reader = new RecordReader();

/** A record as far as it is read before anybody wants its content. */
export interface ReadRecord {
  /** 32 bits each, the first ones first; until the next record is read. */
  readonly id: Uint32Array;
  readonly eventType: string;
  readonly entityId: string | null;
  readonly timestamp: Micros;
  readonly ingestedAt: Micros;
  /** The whole event; until the next record is read. */
  event(stream: string): LogEvent;
}

/** Undefined when the record is no event: the materializer makes a dead letter of it. */
export function readRecord(record: LogRecord): ReadRecord | undefined {
  if (record.value === null || !isReadable(record.value)) return undefined;
  return {
    id: reader.id,
    eventType: reader.eventType.toString(),
    entityId: reader.entityId.isEmpty ? null : reader.entityId.toString(),
    timestamp: reader.timestamp,
    ingestedAt: reader.ingestedAt,
    event(stream) {
      return {
        event_id: uuidText(reader.id),
        stream,
        event_type: this.eventType,
        entity_id: this.entityId,
        timestamp: reader.timestamp,
        ingested_at: reader.ingestedAt,
        schema_version: reader.schemaVersion === 0 ? null : reader.schemaVersion,
        metadata: reader.metadata.toString(),
        data: reader.data.toString(),
        partition: record.partition,
        offset: record.offset,
      };
    },
  };
}

function isReadable(value: Buffer): boolean {
  try {
    reader.read(value);
    return true;
  } catch (error) {
    if (error instanceof UnreadableRecordError) return false;
    throw error;
  }
}
