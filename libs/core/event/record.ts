import { uuidText } from './record-bytes.js';
import { EventRecordParser } from './event-record-parser.js';
import { formatTime, type EpochMicros } from '#json';

/**
 * An event, as the value of a record in a stream's topic: one JSON object whose members always have this order,
 *
 *     {"event_id":"…","event_type":"…","entity_id":"…"|null,"timestamp":"…","ingested_at":"…",
 *      "schema_version":1|null,"metadata":{…},"data":{…}}
 *
 * without spaces between them. `metadata` and `data` are the JSON text that the client sent, unchanged. Scalars come
 * first, so the first `,"metadata":` is the member (inside a string its quotes would be escaped), and `data` ends one byte
 * before the end. The key of the record is `entity_id`, or `event_id` for an event without an entity.
 */
export interface EventRecord {
  /** UUID in lower case. */
  event_id: string;
  event_type: string;
  entity_id: string | null;
  timestamp: EpochMicros;
  ingested_at: EpochMicros;
  schema_version: number | null;
  /** The event's `metadata`: JSON text of an object, exactly as the client sent it. */
  metadata: string;
  /** The event's `data`: JSON text of an object, exactly as the client sent it. */
  data: string;
}

/** Cache of the last formatted `ingested_at`, because all events of one request have the same. */
let lastIngestedAt = NaN;
let lastIngestedText = '';

function ingestedText(micros: EpochMicros): string {
  if (micros !== lastIngestedAt) {
    lastIngestedText = formatTime(micros);
    lastIngestedAt = micros;
  }
  return lastIngestedText;
}

/** Returns an event as the value of a Kafka record (see `EventRecord`). The caller encodes the text as UTF-8. */
export function encodeRecord(event: EventRecord): string {
  const entity = event.entity_id === null ? 'null' : JSON.stringify(event.entity_id);
  return (
    `{"event_id":"${event.event_id}","event_type":${JSON.stringify(event.event_type)},"entity_id":${entity}` +
    `,"timestamp":"${formatTime(event.timestamp)}","ingested_at":"${ingestedText(event.ingested_at)}"` +
    `,"schema_version":${event.schema_version},"metadata":${event.metadata},"data":${event.data}}`
  );
}

const reader = new EventRecordParser();

/**
 * Decodes the value of a Kafka record into an event. Checks that `metadata` and `data` are JSON objects, and returns
 * their text unchanged.
 * @throws UnreadableRecordError if `encodeRecord` does not write such a value
 */
export function decodeRecord(value: string | Buffer): EventRecord {
  reader.read(typeof value === 'string' ? Buffer.from(value) : value);
  return {
    event_id: uuidText(reader.id),
    event_type: reader.eventType.toString(),
    entity_id: reader.entityId.isEmpty ? null : reader.entityId.toString(),
    timestamp: reader.timestamp,
    ingested_at: reader.ingestedAt,
    schema_version: reader.schemaVersion === 0 ? null : reader.schemaVersion,
    metadata: reader.metadata.toString(),
    data: reader.data.toString(),
  };
}
