import type { FastifyRequest } from 'fastify';
import { ProblemError } from '#api';
import { accessOf } from '#http';

/**
 * Keeps a key that is limited to streams from making one that is not.
 * @throws ProblemError 403 `stream_forbidden`
 */
export function requireUnlimited(request: FastifyRequest): void {
  if (accessOf(request).patterns === undefined) return;
  throw new ProblemError('stream_forbidden', 'An API key that is limited to streams cannot manage keys.');
}
