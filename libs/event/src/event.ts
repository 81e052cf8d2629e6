/**
 * An event in the form that every endpoint returns. `data` and `metadata` are the JSON text that the client sent,
 * unchanged.
 */
export interface StoredEvent {
  event_id: string;
  stream: string;
  event_type: string;
  entity_id: string | null;
  /** 1, 2, 3 … for each stream and entity, in log order; null for an event without an entity. */
  version: number | null;
  timestamp: string;
  ingested_at: string;
  /** JSON text, exactly as the client sent it. */
  data: string;
  /** JSON text, exactly as the client sent it. */
  metadata: string;
  schema_version: number | null;
  partition: number;
  offset: number;
}

/** Returns the event as JSON; `data` and `metadata` are included exactly as they were sent. */
export function eventToJson(event: StoredEvent): string {
  return (
    `{"event_id":"${event.event_id}","stream":${JSON.stringify(event.stream)}` +
    `,"event_type":${JSON.stringify(event.event_type)},"entity_id":${JSON.stringify(event.entity_id)}` +
    `,"version":${event.version},"timestamp":"${event.timestamp}","ingested_at":"${event.ingested_at}"` +
    `,"data":${event.data},"metadata":${event.metadata},"schema_version":${event.schema_version}` +
    `,"partition":${event.partition},"offset":${event.offset}}`
  );
}
