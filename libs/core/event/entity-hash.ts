import { createHash } from 'node:crypto';

/**
 * Returns the hash under which an erasure remembers an entity: the SHA-256 (lower-case hex) of the stream, a zero byte
 * and the entity id, as UTF-8. Neither the stream nor the id contains a zero byte.
 */
export function entityHash(stream: string, entityId: string): string {
  return createHash('sha256').update(stream).update('\0').update(entityId).digest('hex');
}
