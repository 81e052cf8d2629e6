import { readSingle } from './read-request.js';
import type { IntakeContext } from './read-event.js';
import { UuidV7Generator } from './uuid-v7.js';

const ids = new UuidV7Generator();
const noSchemas: IntakeContext['schemas'] = { find: () => undefined };

/**
 * Checks the JSON text of an event's `data` by the rules that every event obeys, and returns it. Schemas are not
 * checked.
 * @throws ProblemError with pointers that begin with `/data`
 */
export function readGivenData(type: { stream: string; event_type: string }, data: string): string {
  const text = `${JSON.stringify(type).slice(0, -1)},"data":${data}}`;
  return readSingle({ ingestedAt: Date.now() * 1000, ids, text, schemas: noSchemas }).data;
}
