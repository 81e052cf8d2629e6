import { TributaryError } from '../errors/tributary-error.js';
import { membersOf } from '../json/json-text.js';
import type { NewEvent } from '../types/index.js';

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
