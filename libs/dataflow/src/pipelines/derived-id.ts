import { createHash } from 'node:crypto';
import type { Origin } from '../flow/flow.js';

/**
 * The id of an event that a run emits: a UUIDv8 (RFC 9562) of SHA-256 over the run, where the event comes from, and which
 * emit or webhook makes it. The same again after every crash, whoever computes it; with another run it is another one.
 * @param at pointer of the emit or the webhook
 */
export function derivedId(run: string, { stream, partition, offset, path }: Origin, at: string): string {
  const origin = JSON.stringify([run, stream, partition, offset, path, at]);
  const digest = createHash('sha256').update(origin).digest('hex');
  const variant = ((parseInt(digest.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return (
    `${digest.slice(0, 8)}-${digest.slice(8, 12)}-8${digest.slice(13, 16)}` +
    `-${variant}${digest.slice(17, 20)}-${digest.slice(20, 32)}`
  );
}
