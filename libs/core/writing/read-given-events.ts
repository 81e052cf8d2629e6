import { ProblemError } from '#api';
import type { AcceptedEvent, EventParserInputs } from './read-event.js';
import { readBatch } from './read-request.js';
import { EventRejection } from './rejection.js';
import { UuidV7Generator } from './uuid-v7.js';

const ids = new UuidV7Generator();
const noSchemas: EventParserInputs['schemas'] = { find: () => undefined };

/**
 * Parses and validates the events in the text of a JSON array as a write does, for routes that try something out with
 * them and write nothing. Schemas are not checked.
 * @throws ProblemError with all errors; their pointers begin with `/events`
 */
export async function readGivenEvents(list: string): Promise<AcceptedEvent[]> {
  const read = await readBatch({
    ingestedAt: Date.now() * 1000,
    ids,
    text: `{"events":${list}}`,
    schemas: noSchemas,
  });
  const [first, ...others] = read.filter((event) => event instanceof EventRejection);
  if (!first) return read as AcceptedEvent[];
  const errors = [first, ...others].flatMap((rejection) => rejection.errors).slice(0, mostErrors);
  throw new ProblemError(first.code, first.detail, { errors });
}

const mostErrors = 100;
