import type { FastifyRequest } from 'fastify';
import { permitsStream, ProblemError } from '#api';
import { streamNamePattern } from '#event';
import { streamNotFound } from '#registry';
import { accessOf } from '#http';
import { refuseReserved } from '../access/permit.js';

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
 * Refuses what cannot be the name of a stream that this request may change. A stream that it may not see is answered as
 * if it did not exist.
 * @throws ProblemError 400, 403 `stream_reserved`, 404 `stream_not_found`
 */
export function requireChangeable(stream: string, request: FastifyRequest): void {
  requireStreamName(stream);
  refuseReserved(stream, { pointer: 'stream' });
  if (!permitsStream(accessOf(request), stream)) throw streamNotFound(stream);
}
