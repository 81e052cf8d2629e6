import { createHash } from 'node:crypto';

/** The namespace (RFC 9562, section 6.5) for UUIDs that are derived from other ids. */
const namespace = Buffer.from('8c0e0c3bd5a75b2f9a3e0d6a1f0b2c11', 'hex');

/** Returns the UUIDv5 of a name in this project's namespace; equal names have equal UUIDs. */
export function nameUuid(name: string): string {
  return uuidOfBytes(createHash('sha1').update(namespace).update(name).digest(), 5);
}

/** Returns a UUID that consists of the first 16 bytes, with the bits of the given UUID version and the variant set. */
export function uuidOfBytes(bytes: Buffer, version: number): string {
  const own = Buffer.from(bytes.subarray(0, 16));
  own[6] = (own[6]! & 0x0f) | (version << 4);
  own[8] = (own[8]! & 0x3f) | 0x80;
  return own.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/**
 * Returns the hash under which an erasure remembers an entity: the SHA-256 (lower-case hex) of the stream, a zero byte
 * and the entity id, as UTF-8. Neither the stream nor the id contains a zero byte.
 */
export function entityHash(stream: string, entityId: string): string {
  return createHash('sha256').update(stream).update('\0').update(entityId).digest('hex');
}
