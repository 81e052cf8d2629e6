import type { FastifyRequest } from 'fastify';
import { ProblemError, streamNamePattern } from '#contracts';
import { accessOf } from '#http';
import { refuseReserved, requirePermitted } from '../access/permit.js';

/** The stream in an address, for the OpenAPI document. */
export const streamParam = {
  name: 'stream',
  schema: { type: 'string', pattern: streamNamePattern.source },
} as const;

/** @throws ProblemError 400 */
export function requireStreamName(stream: string): void {
  if (streamNamePattern.test(stream)) return;
  const detail = `must match ${streamNamePattern.source}`;
  throw new ProblemError('invalid_request', `The name of a stream ${detail}.`, {
    errors: [{ pointer: 'stream', detail }],
  });
}

/**
 * Refuses what cannot be the name of a stream that this request may change.
 * @throws ProblemError 400, 403 `stream_forbidden`, 403 `stream_reserved`
 */
export function requireChangeable(stream: string, request: FastifyRequest): void {
  requireStreamName(stream);
  requirePermitted(accessOf(request), [stream], { pointer: 'stream' });
  refuseReserved(stream, { pointer: 'stream' });
}
