import { TributaryError } from '../errors/tributary-error.js';
import type { NewEvent } from '../types/index.js';
import { membersOf } from '../json/json-text.js';

/** Returns an event as JSON text with its id. Every attempt sends the same text. */
export function eventText(
  event: NewEvent,
  eventId: string | null | undefined,
  expected_version = event.expected_version,
): string {
  const { stream, event_type, entity_id, timestamp, metadata } = event;
  const head = { event_id: eventId, stream, event_type, entity_id, expected_version, timestamp, metadata };
  if ('data' in event) return JSON.stringify({ ...head, data: event.data ?? null });
  return `${JSON.stringify(head).slice(0, -1)},"data":${checked(event.dataText)}}`;
}

/** Validates the text: an invalid one would break the request with its other events. @throws TributaryError */
function checked(dataText: string): string {
  try {
    JSON.parse(dataText);
  } catch (error) {
    throw new TributaryError(`dataText is not JSON: ${(error as Error).message}`, { cause: error });
  }
  return dataText;
}

const known = new Set([
  ...['event_id', 'stream', 'event_type', 'entity_id'],
  ...['expected_version', 'timestamp', 'data', 'metadata'],
]);

/**
 * Parses an event from JSON text, for example from a line of a file. The data of the event keeps every digit.
 * @throws TributaryError if the text is not an event
 */
export function eventFromText(text: string): NewEvent {
  const members = membersOf(objectText(text));
  for (const name of members.keys())
    if (!known.has(name)) throw new TributaryError(`An event has no member ${JSON.stringify(name)}.`);
  const dataText = members.get('data');
  if (dataText === undefined) throw new TributaryError('The event has no data.');
  members.delete('data');
  const head = [...members].map(([name, value]) => [name, JSON.parse(value) as unknown] as const);
  return { ...(Object.fromEntries(head) as Omit<NewEvent, 'data' | 'dataText'>), dataText };
}

function objectText(text: string): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new TributaryError(`This is not JSON: ${(error as Error).message}`, { cause: error });
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return text;
  throw new TributaryError('An event is a JSON object.');
}

/** Returns the number of bytes of a text in UTF-8. */
export function byteLength(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > 0x7f) bytes += code > 0x7ff && !isSurrogate(code) ? 2 : 1;
  }
  return bytes;
}

/** Whether a code unit is a surrogate. Two surrogates are one character of four bytes. */
function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdfff;
}

/** Returns a deterministic 32-bit hash of two texts (FNV-1a). */
export function hashOf(stream: string, entity: string): number {
  return mix(mix(mix(0x811c9dc5, stream), '\0'), entity);
}

function mix(hash: number, text: string): number {
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
