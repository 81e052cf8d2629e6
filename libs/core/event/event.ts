import type { EpochMicros } from '#json';

/** An event as the HTTP API returns it, with its position in Kafka. Its JSON texts are those that the client sent. */
export interface StoredEvent {
  event_id: string;
  stream: string;
  event_type: string;
  entity_id: string | null;
  /** Position in the history of the entity in this stream (1, 2, 3 … by Kafka offsets); null without an entity. */
  version: number | null;
  timestamp: string;
  ingested_at: string;
  /** The event's `data`: JSON text of an object, exactly as the client sent it. */
  data: string;
  /** The event's `metadata`: JSON text of an object, exactly as the client sent it. */
  metadata: string;
  schema_version: number | null;
  partition: number;
  offset: number;
}

/** An event read from Kafka, which has no version yet. `data` and `metadata` are the JSON text of objects. */
export interface EventFromKafka extends Omit<StoredEvent, 'version' | 'timestamp' | 'ingested_at'> {
  timestamp: EpochMicros;
  ingested_at: EpochMicros;
}

/** Returns a stored event as the JSON text of one object, with the texts of `data` and `metadata` unchanged. */
export function eventToJson(event: StoredEvent): string {
  return (
    `{"event_id":"${event.event_id}","stream":${JSON.stringify(event.stream)}` +
    `,"event_type":${JSON.stringify(event.event_type)},"entity_id":${JSON.stringify(event.entity_id)}` +
    `,"version":${event.version},"timestamp":"${event.timestamp}","ingested_at":"${event.ingested_at}"` +
    `,"data":${event.data},"metadata":${event.metadata},"schema_version":${event.schema_version}` +
    `,"partition":${event.partition},"offset":${event.offset}}`
  );
}
