import { isJsonObject, jsonValue } from '#json';
import { limits } from './limits.js';

/**
 * An event that a write endpoint has rejected, as the value of a record. A rejected event can be written once its
 * schema or its sender is corrected. The value is one JSON object whose members always have this order,
 *
 *     {"refused":{"code":"…","detail":"…","errors":[{"pointer":"…","detail":"…"}]},"form":"event"|"raw"|
 *      "cloudevent","mapping":{…},"entity_id":"…"|null,"event_id":"…","received_at":"…","cut":false,"text":"…"}
 *
 * Consumers skip the record like every record that they cannot read; the materializer stores it as a dead letter. The key
 * of the record is `entity_id`, or `event_id` if the entity is not known.
 */
export interface RejectedEventRecord {
  refused: { code: string; detail: string; errors: readonly { pointer: string; detail: string }[] };
  /** Input format of `text`: `event`, `raw` or `cloudevent`. */
  form: string;
  /** For the form `raw`: for each field of the event, where the request takes it from in a raw value. */
  mapping: Readonly<Record<string, string>>;
  /** Entity id of the rejected event; null if the event has none or it could not be read. */
  entity_id: string | null;
  /** `event_id` that the rejected event would have had. */
  event_id: string;
  received_at: string;
  /** True if `text` is only the beginning of what the client sent; the event cannot be written from it later. */
  cut: boolean;
  /** JSON text of the rejected event as the client sent it; only its beginning if `cut` is true. */
  text: string;
}

const mark = '{"refused":';
/** Largest text that is kept whole, in bytes of its JSON. The whole record then fits into Kafka's limit. */
const mostBytes = 1.5 * limits.eventBytes;
/** Number of characters that are kept of a text that is too large: enough to recognise it. */
const keptCharacters = 8 * 1024;

/**
 * Returns a rejected event as the value of a Kafka record. The caller encodes it as UTF-8. Keeps only the first 8192
 * characters of `text` if its JSON encoding is larger than 1.5 MiB.
 */
export function encodeRejectedEvent({ text, ...record }: Omit<RejectedEventRecord, 'cut'>): string {
  const literal = text.length <= mostBytes ? JSON.stringify(text) : '';
  const cut = text.length > mostBytes || Buffer.byteLength(literal) > mostBytes;
  const kept = cut ? JSON.stringify(text.slice(0, keptCharacters)) : literal;
  const { refused, form, mapping, entity_id, event_id, received_at } = record;
  const head = JSON.stringify({ refused, form, mapping, entity_id, event_id, received_at, cut });
  return `${head.slice(0, -1)},"text":${kept}}`;
}

/** Decodes the value of a Kafka record; undefined if `encodeRejectedEvent` has not written it. */
export function decodeRejectedEvent(value: string | Buffer): RejectedEventRecord | undefined {
  const head = typeof value === 'string' ? value : value.toString('latin1', 0, mark.length);
  if (!head.startsWith(mark)) return undefined;
  const record = jsonValue(String(value));
  const isRejected = isJsonObject(record) && isJsonObject(record.refused) && typeof record.text === 'string';
  return isRejected ? (record as unknown as RejectedEventRecord) : undefined;
}
