import { isJsonObject, jsonValue } from './json-value.js';
import { limits } from './limits.js';

/**
 * The value of a record that is no event: what a write endpoint has refused and keeps, so that it can be written when
 * its schema or its sender is mended. One JSON object whose members always come in this order,
 *
 *     {"refused":{"code":"…","detail":"…","errors":[{"pointer":"…","detail":"…"}]},"form":"event"|"raw",
 *      "mapping":{…},"entity_id":"…"|null,"event_id":"…","received_at":"…","cut":false,"text":"…"}
 *
 * Consumers pass over it as over every record that they cannot read; the materializer makes a dead letter of it. The
 * record's key is `entity_id`, else `event_id`.
 */
export interface RefusedRecord {
  refused: { code: string; detail: string; errors: readonly { pointer: string; detail: string }[] };
  /** How the text is read. */
  form: string;
  /** Where the fields come from, where the form asks for that. */
  mapping: Readonly<Record<string, string>>;
  /** Whose it is, where that could be told. */
  entity_id: string | null;
  /** The id that the event would have had. */
  event_id: string;
  received_at: string;
  /** There was more of the text, and it cannot be read again. */
  cut: boolean;
  /** What the client has sent. */
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
