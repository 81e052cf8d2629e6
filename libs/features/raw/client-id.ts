import { nameUuid, uuidPattern } from '#event';

const halfPair = /\p{Surrogate}/u;

export const clientIdRule = 'must be a non-empty text or a number';

/**
 * Returns the `event_id` for an id that the sender has chosen: a UUID is used in lower case, and a UUIDv5 is derived
 * from any other text. Returns undefined if the id is not a non-empty, well-formed text.
 */
export function clientId(id: unknown): string | undefined {
  if (typeof id !== 'string' || id === '' || halfPair.test(id)) return undefined;
  return uuidPattern.test(id) ? id.toLowerCase() : nameUuid(id);
}
