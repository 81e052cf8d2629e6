import { isJsonObject, jsonValue } from './json-value.js';
import { limits } from './limits.js';

/**
 * An event that a write endpoint has rejected, as the value of a record. It can be written once its schema or its sender is
 * corrected. The value is one JSON object whose members always have this order,
 *
 *     {"refused":{"code":"…","detail":"…","errors":[{"pointer":"…","detail":"…"}]},"form":"event"|"raw"|
 *      "cloudevent","mapping":{…},"entity_id":"…"|null,"event_id":"…","received_at":"…","cut":false,"text":"…"}
 *
 * Consumers skip the record like every record that they cannot read; the materializer stores it as a dead letter. The key
 * of the record is `entity_id`, or `event_id` if the entity is not known.
 */
export interface RejectedEventRecord {
  refused: { code: string; detail: string; errors: readonly { pointer: string; detail: string }[] };
  /** Input format of the text: `event`, `raw` or `cloudevent`. */
  form: string;
  /** Sources of the fields of the event, for the form `raw`. */
  mapping: Readonly<Record<string, string>>;
  /** Id of the entity, if it is known. */
  entity_id: string | null;
  /** Id that the event would have had. */
  event_id: string;
  received_at: string;
  /** True if only the beginning of the text is kept; the text cannot be processed again then. */
  cut: boolean;
  /** Text that the client sent. */
  text: string;
}

const mark = '{"refused":';
/**
 * Largest text that is kept whole, in bytes of its JSON encoding. The other members still fit into Kafka's limit for a
 * record.
 */
const mostBytes = 1.5 * limits.eventBytes;
/** Characters that are kept of a larger text: enough to recognise it. */
const keptCharacters = 8 * 1024;

/** Returns the value of the record as text, which must be encoded as UTF-8. Cuts a text that is too large. */
export function encodeRejectedEvent({ text, ...record }: Omit<RejectedEventRecord, 'cut'>): string {
  const literal = text.length <= mostBytes ? JSON.stringify(text) : '';
  const cut = text.length > mostBytes || Buffer.byteLength(literal) > mostBytes;
  const kept = cut ? JSON.stringify(text.slice(0, keptCharacters)) : literal;
  const { refused, form, mapping, entity_id, event_id, received_at } = record;
  const head = JSON.stringify({ refused, form, mapping, entity_id, event_id, received_at, cut });
  return `${head.slice(0, -1)},"text":${kept}}`;
}

/** Decodes the value of a record; undefined if `encodeRefused` does not write such a value. */
export function decodeRejectedEvent(value: string | Buffer): RejectedEventRecord | undefined {
  if (!startsWith(value, mark)) return undefined;
  const record = jsonValue(String(value));
  const isRefused = isJsonObject(record) && isJsonObject(record.refused) && typeof record.text === 'string';
  return isRefused ? (record as unknown as RejectedEventRecord) : undefined;
}

function startsWith(value: string | Buffer, text: string): boolean {
  return typeof value === 'string'
    ? value.startsWith(text)
    : value.toString('latin1', 0, text.length) === text;
}
