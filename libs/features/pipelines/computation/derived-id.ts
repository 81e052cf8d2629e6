import { hash } from 'node:crypto';
import type { Provenance } from './flow/pipeline.js';

/**
 * Returns the id of an event that a job emits: a UUIDv8 (RFC 9562) from the SHA-256 of the job id (`run`), the
 * provenance and the JSON pointer of the output. It is the same in every process after a crash; another job has other
 * ids.
 */
export function derivedId(run: string, { stream, partition, offset, path }: Provenance, at: string): string {
  const place = `${runAndStream(run, stream)}${partition},${offset},${path === '' ? '""' : JSON.stringify(path)}`;
  const digest = hash('sha256', `${place},${JSON.stringify(at)}]`, 'hex');
  return (
    `${digest.slice(0, 8)}-${digest.slice(8, 12)}-8${digest.slice(13, 16)}` +
    `-${variants[parseInt(digest.charAt(16), 16) & 0x3]!}${digest.slice(17, 20)}-${digest.slice(20, 32)}`
  );
}

/** The digits with which the group of the variant may begin. */
const variants = ['8', '9', 'a', 'b'] as const;

/** Cache of the last beginning of a hashed text, because the events of a batch have the same job and stream. */
let last = { run: '', stream: '', text: '["","",' };

/** Returns the beginning of the JSON array `[run, stream, partition, offset, path, at]`, which `derivedId` hashes. */
function runAndStream(run: string, stream: string): string {
  if (run !== last.run || stream !== last.stream)
    last = { run, stream, text: `[${JSON.stringify(run)},${JSON.stringify(stream)},` };
  return last.text;
}
