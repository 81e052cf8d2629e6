import { nameUuid, uuidPattern } from '#event';

const halfPair = /\p{Surrogate}/u;

export const clientIdRule = 'must be a non-empty text or a number';

/**
 * Returns the `event_id` for an id of the sender: a UUID is used as it is, and any other text becomes a UUIDv5. Returns
 * undefined if it is not a usable text.
 */
export function clientId(id: unknown): string | undefined {
  if (typeof id !== 'string' || id === '' || halfPair.test(id)) return undefined;
  return uuidPattern.test(id) ? id.toLowerCase() : nameUuid(id);
}
