import { uuidText } from './record-bytes.js';
import { RecordReader } from './record-reader.js';
import { formatTime, type Micros } from './time.js';

/**
 * The value of a record in a stream's topic: one JSON object whose members always come in this order,
 *
 *     {"event_id":"…","event_type":"…","entity_id":"…"|null,"timestamp":"…","ingested_at":"…",
 *      "schema_version":1|null,"metadata":{…},"data":{…}}
 *
 * without spaces between them. `metadata` and `data` are the client's own JSON text, untouched. Scalars come first, so
 * the first `,"metadata":` is the member (inside a string its quotes would be escaped), and `data` ends one byte
 * before the end. The record's key is `entity_id`, else `event_id`.
 */
export interface EventRecord {
  /** Lower case. */
  event_id: string;
  event_type: string;
  entity_id: string | null;
  timestamp: Micros;
  ingested_at: Micros;
  schema_version: number | null;
  /** Raw JSON text of an object. */
  metadata: string;
  /** Raw JSON text of an object. */
  data: string;
}

/** The last `ingested_at` that was formatted: all events of one request have the same. */
let lastIngestedAt = NaN;
let lastIngestedText = '';

function ingestedText(micros: Micros): string {
  if (micros !== lastIngestedAt) {
    lastIngestedText = formatTime(micros);
    lastIngestedAt = micros;
  }
  return lastIngestedText;
}

/** The record's value as text; encode it as UTF-8. */
export function encodeRecord(event: EventRecord): string {
  const entity = event.entity_id === null ? 'null' : JSON.stringify(event.entity_id);
  return (
    `{"event_id":"${event.event_id}","event_type":${JSON.stringify(event.event_type)},"entity_id":${entity}` +
    `,"timestamp":"${formatTime(event.timestamp)}","ingested_at":"${ingestedText(event.ingested_at)}"` +
    `,"schema_version":${event.schema_version},"metadata":${event.metadata},"data":${event.data}}`
  );
}

const reader = new RecordReader();

/**
 * Reads a record's value. `metadata` and `data` are checked to be JSON objects, and are returned as the text that
 * stands there.
 * @throws UnreadableRecordError when it is not what `encodeRecord` writes.
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
