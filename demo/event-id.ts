import { createHash } from 'node:crypto';

/** A namespace for the demo, generated once at random. */
const namespace = Buffer.from('6f0c1e5a9b7d4c22a1d35e8f0b9c4d71', 'hex');

/**
 * Returns the UUIDv5 (RFC 9562, section 5.5) of a name. The same name has the same id on every machine, so a row that
 * is sent again is the same event.
 */
export function eventIdOf(name: string): string {
  const bytes = createHash('sha1').update(namespace).update(name, 'utf8').digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x50;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
