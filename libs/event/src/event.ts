/** An event as every endpoint returns it. `data` and `metadata` are put in as the raw text that was sent. */
export interface StoredEvent {
  event_id: string;
  stream: string;
  event_type: string;
  entity_id: string | null;
  /** 1, 2, 3 … per (stream, entity), in log order; null without an entity. */
  version: number | null;
  timestamp: string;
  ingested_at: string;
  /** Raw JSON text. */
  data: string;
  /** Raw JSON text. */
  metadata: string;
  schema_version: number | null;
  partition: number;
  offset: number;
}

/** The event's JSON, `data` and `metadata` exactly as they were sent. */
export function eventToJson(event: StoredEvent): string {
  return (
    `{"event_id":"${event.event_id}","stream":${JSON.stringify(event.stream)}` +
    `,"event_type":${JSON.stringify(event.event_type)},"entity_id":${JSON.stringify(event.entity_id)}` +
    `,"version":${event.version},"timestamp":"${event.timestamp}","ingested_at":"${event.ingested_at}"` +
    `,"data":${event.data},"metadata":${event.metadata},"schema_version":${event.schema_version}` +
    `,"partition":${event.partition},"offset":${event.offset}}`
  );
}
