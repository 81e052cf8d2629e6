import { JsonScanner } from './json-scanner.js';
import { formatTime, parseFormattedTime, type Micros } from './time.js';

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

/** Why a record's value is not an event. */
export class UnreadableRecordError extends Error {
  override readonly name = 'UnreadableRecordError';
}

const string = String.raw`[^"\\\u0000-\u001f]*(?:\\.[^"\\\u0000-\u001f]*)*`;
const id = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';

/** Everything before the value of `metadata`. */
const head = new RegExp(
  `^\\{"event_id":"(${id})","event_type":"(${string})","entity_id":(?:null|"(${string})")` +
    `,"timestamp":"([^"]{20,40})","ingested_at":"([^"]{20,40})","schema_version":(null|\\d{1,9}),"metadata":`,
);
const loneSurrogate = /\p{Surrogate}/u;
const dataMark = ',"data":';

/**
 * Reads a record's value. The head is matched in one go instead of being parsed; `metadata` and `data` are checked
 * to be JSON objects, and are returned as the text that stands there.
 * The strings may be slices of `value`: whoever keeps one for long keeps all of it.
 * @throws UnreadableRecordError when it is not what `encodeRecord` writes.
 */
export function decodeRecord(value: string): EventRecord {
  const match = head.exec(value);
  if (!match) throw new UnreadableRecordError('the members before metadata are not those of an event');
  const metadataStart = match[0].length;
  const metadataEnd = endOfFlatObject(value, metadataStart);
  if (metadataEnd < 0 || !value.startsWith(dataMark, metadataEnd) || !value.endsWith('}'))
    throw new UnreadableRecordError('metadata is not a flat object followed by data, or the end is missing');
  const metadata = value.slice(metadataStart, metadataEnd);
  const dataStart = metadataEnd + dataMark.length;
  const data = value.slice(dataStart, -1);
  if (metadata !== '{}') assertObject(metadata, 'metadata');
  if (!isObjectAt(value, dataStart)) assertObject(data, 'data');
  return {
    event_id: match[1]!,
    event_type: unescaped(match[2]!, 'event_type'),
    entity_id: match[3] === undefined ? null : entityId(match[3]),
    timestamp: time(match[4]!, 'timestamp'),
    ingested_at: ingestedTime(match[5]!),
    schema_version: match[6] === 'null' ? null : Number(match[6]),
    metadata,
    data,
  };
}

/** Never empty: the store keeps "no entity" as the empty text. */
function entityId(literal: string): string {
  if (literal === '') throw new UnreadableRecordError('entity_id is empty');
  return unescaped(literal, 'entity_id');
}

/** Lone surrogates have no UTF-8: two texts that differ in them only would become the same one in the store. */
function unescaped(literal: string, member: string): string {
  if (!literal.includes('\\')) return literal;
  const text = parse(`"${literal}"`, member) as string;
  if (loneSurrogate.test(text)) throw new UnreadableRecordError(`${member} is not well-formed Unicode`);
  return text;
}

/** Where the flat object that starts here ends (exclusive); -1 when it does not. */
function endOfFlatObject(value: string, start: number): number {
  let inString = false;
  for (let i = start; i < value.length; i++) {
    const code = value.charCodeAt(i);
    if (code === 0x5c) i++;
    else if (code === 0x22) inString = !inString;
    else if (code === 0x7d && !inString) return i + 1;
  }
  return -1;
}

function time(literal: string, member: string): Micros {
  const micros = parseFormattedTime(literal);
  if (micros === undefined) throw new UnreadableRecordError(`${member} is not an RFC 3339 time in range`);
  return micros;
}

/** The last `ingested_at` that was read: records of one request have the same. */
let lastReadText = '';
let lastReadMicros: Micros = NaN;

function ingestedTime(literal: string): Micros {
  if (literal === lastReadText) return lastReadMicros;
  lastReadMicros = time(literal, 'ingested_at');
  lastReadText = literal;
  return lastReadMicros;
}

/**
 * Whether an object stands here up to the record's last character, told without making it: that takes half the time.
 * False also for what only `JSON.parse` can tell, such as deep nesting.
 */
function isObjectAt(value: string, start: number): boolean {
  return value.charCodeAt(start) === 0x7b && new JsonScanner(value).value(start, 0) === value.length - 1;
}

function assertObject(json: string, member: string): void {
  if (json.charCodeAt(0) !== 0x7b) throw new UnreadableRecordError(`${member} is not an object`);
  parse(json, member);
}

function parse(json: string, member: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new UnreadableRecordError(`${member} is not JSON: ${(error as Error).message}`);
  }
}
