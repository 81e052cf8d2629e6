import { nameUuid, uuidPattern } from '#event';

const halfPair = /\p{Surrogate}/u;

export const clientIdRule = 'must be a text that is not empty, or a number';

/** The `event_id` for an id of the sender: a UUID stays, and any other text becomes a UUIDv5. */
export function clientId(id: unknown): string | undefined {
  if (typeof id !== 'string' || id === '' || halfPair.test(id)) return undefined;
  return uuidPattern.test(id) ? id.toLowerCase() : nameUuid(id);
}
