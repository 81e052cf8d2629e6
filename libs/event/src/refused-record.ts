import { isJsonObject, jsonValue } from './json-value.js';
import { limits } from './limits.js';

/**
 * The value of a record that keeps an event which a write endpoint has refused. It can be written once its schema or its
 * sender is corrected. The value is one JSON object whose members always come in this order,
 *
 *     {"refused":{"code":"…","detail":"…","errors":[{"pointer":"…","detail":"…"}]},"form":"event"|"raw"|
 *      "cloudevent","mapping":{…},"entity_id":"…"|null,"event_id":"…","received_at":"…","cut":false,"text":"…"}
 *
 * Consumers skip it like every record that they cannot read; the materializer stores it as a dead letter. The
 * record's key is `entity_id`, else `event_id`.
 */
export interface RefusedRecord {
  refused: { code: string; detail: string; errors: readonly { pointer: string; detail: string }[] };
  /** The form in which the text is read. */
  form: string;
  /** The sources of the fields, for the form `raw`. */
  mapping: Readonly<Record<string, string>>;
  /** The entity, if it is known. */
  entity_id: string | null;
  /** The id that the event would have had. */
  event_id: string;
  received_at: string;
  /** Whether only the beginning of the text is kept; then it cannot be read again. */
  cut: boolean;
  /** The text that the client has sent. */
  text: string;
}

const mark = '{"refused":';
/** Bytes of the text as JSON. The record's other members have room beside it in what Kafka takes. */
const mostBytes = 1.5 * limits.eventBytes;
/** Characters that are kept of a text that is too large: enough to see what it was. */
const keptCharacters = 8 * 1024;

/** The record's value as text; encode it as UTF-8. */
export function encodeRefused({ text, ...record }: Omit<RefusedRecord, 'cut'>): string {
  const literal = text.length <= mostBytes ? JSON.stringify(text) : '';
  const cut = text.length > mostBytes || Buffer.byteLength(literal) > mostBytes;
  const kept = cut ? JSON.stringify(text.slice(0, keptCharacters)) : literal;
  const { refused, form, mapping, entity_id, event_id, received_at } = record;
  const head = JSON.stringify({ refused, form, mapping, entity_id, event_id, received_at, cut });
  return `${head.slice(0, -1)},"text":${kept}}`;
}

/** Undefined when it is not what `encodeRefused` writes. */
export function decodeRefused(value: string | Buffer): RefusedRecord | undefined {
  if (!startsWith(value, mark)) return undefined;
  const record = jsonValue(String(value));
  const isRefused = isJsonObject(record) && isJsonObject(record.refused) && typeof record.text === 'string';
  return isRefused ? (record as unknown as RefusedRecord) : undefined;
}

function startsWith(value: string | Buffer, text: string): boolean {
  return typeof value === 'string'
    ? value.startsWith(text)
    : value.toString('latin1', 0, text.length) === text;
}
