import { EventRecordParser, uuidText, type EventFromKafka } from '#event';
import type { EpochMicros } from '#json';
import type { ConsumerRecord } from '#kafka';

/** Decoder that all partitions share. Each record is fully processed before the next record is decoded. */
const reader = new EventRecordParser();

/** The members of a record that are decoded at once. The method `event` decodes the whole event on demand. */
interface DecodedRecord {
  /**
   * The event id as four 32-bit words, the most significant first. The array is valid until the next record is decoded.
   */
  readonly id: Uint32Array;
  readonly eventType: string;
  readonly entityId: string | null;
  readonly timestamp: EpochMicros;
  readonly ingestedAt: EpochMicros;
  /** Decodes the whole event. The caller calls this method before the next record is decoded. */
  event(stream: string): EventFromKafka;
}

/**
 * Decodes a record. Returns undefined if the record is not an event; the materializer stores such a record as a dead
 * letter.
 */
export function decodeLogRecord(record: ConsumerRecord): DecodedRecord | undefined {
  if (record.value === null || !reader.readIfEvent(record.value)) return undefined;
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
