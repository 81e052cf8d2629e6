import { ProblemError } from '#api';
import type { AcceptedEvent, EventParserInputs } from './read-event.js';
import { readBatch, readSingle } from './read-request.js';
import { EventRejection } from './rejection.js';
import { UuidV7Generator } from './uuid-v7.js';

const ids = new UuidV7Generator();
const mostErrors = 100;

/**
 * Parses and validates the events in the text of a JSON array as a write does, for routes that try something out with
 * them and write nothing. Schemas are not checked.
 * @throws ProblemError with all errors; their pointers begin with `/events`
 */
export async function readGivenEvents(list: string): Promise<AcceptedEvent[]> {
  const read = await readBatch(inputs(`{"events":${list}}`));
  const [first, ...others] = read.filter((event) => event instanceof EventRejection);
  if (!first) return read as AcceptedEvent[];
  const errors = [first, ...others].flatMap((rejection) => rejection.errors).slice(0, mostErrors);
  throw new ProblemError(first.code, first.detail, { errors });
}

/**
 * Checks that a JSON text could be the `data` of an event of this stream and type, and returns it trimmed. Schemas are
 * not checked.
 * @throws ProblemError with pointers that begin with `/data`
 */
export function readGivenData(type: { stream: string; event_type: string }, text: string): string {
  const given = text.trim();
  const event = `${JSON.stringify(type).slice(0, -1)},"data":${given}}`;
  const { data } = readSingle(inputs(event));
  // Otherwise the text would be data and further members of the event.
  if (data !== given) throw new ProblemError('invalid_json', 'The body is not one JSON object.');
  return data;
}

function inputs(text: string): EventParserInputs {
  return { ingestedAt: Date.now() * 1000, ids, text, schemas: undefined };
}
