import { createHash } from 'node:crypto';

/**
 * What an erasure knows of an entity: SHA-256 (hex, lower case) of the stream, a zero byte and the entity's id, as
 * UTF-8. Neither name holds a zero byte.
 */
export function entityHash(stream: string, entityId: string): string {
  return createHash('sha256').update(stream).update('\0').update(entityId).digest('hex');
}
