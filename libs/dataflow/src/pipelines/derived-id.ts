import { createHash } from 'node:crypto';
import type { Provenance } from '../flow/pipeline.js';

/**
 * Returns the id of an event that a job emits: a UUIDv8 (RFC 9562) from the SHA-256 of the job id, the event's
 * provenance and the output operator. Every process computes the same id again after a crash; another job has other
 * ids.
 * @param run id of the job
 * @param at JSON pointer to the emit or the webhook
 */
export function derivedId(run: string, { stream, partition, offset, path }: Provenance, at: string): string {
  const origin = JSON.stringify([run, stream, partition, offset, path, at]);
  const digest = createHash('sha256').update(origin).digest('hex');
  const variant = ((parseInt(digest.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return (
    `${digest.slice(0, 8)}-${digest.slice(8, 12)}-8${digest.slice(13, 16)}` +
    `-${variant}${digest.slice(17, 20)}-${digest.slice(20, 32)}`
  );
}
