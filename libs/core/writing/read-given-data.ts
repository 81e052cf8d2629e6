import { ProblemError } from '#api';
import type { EventParserInputs } from './read-event.js';
import { readSingle } from './read-request.js';
import { UuidV7Generator } from './uuid-v7.js';

const ids = new UuidV7Generator();
const noSchemas: EventParserInputs['schemas'] = { find: () => undefined };

/**
 * Checks that a JSON text could be the `data` of an event of this stream and type, and returns it trimmed. Schemas are
 * not checked.
 * @throws ProblemError with pointers that begin with `/data`
 */
export function readGivenData(type: { stream: string; event_type: string }, text: string): string {
  const given = text.trim();
  const event = `${JSON.stringify(type).slice(0, -1)},"data":${given}}`;
  const { data } = readSingle({ ingestedAt: Date.now() * 1000, ids, text: event, schemas: noSchemas });
  // Otherwise the text would be data and further members of the event.
  if (data !== given) throw new ProblemError('invalid_json', 'The body is not one JSON object.');
  return data;
}
