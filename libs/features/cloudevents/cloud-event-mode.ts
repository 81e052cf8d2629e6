import type { FastifyRequest } from 'fastify';
import { ProblemError } from '#api';
import { mediaTypeOf } from '#http';

export const structuredType = 'application/cloudevents+json';
export const batchType = 'application/cloudevents-batch+json';

/** Content modes of CloudEvents over HTTP. */
export type CloudEventMode = 'binary' | 'structured' | 'batched';

/**
 * Returns the content mode of a request, by its media type.
 * @throws ProblemError 415 for a format other than JSON, and for a request that is not a CloudEvent
 */
export function modeOf(request: FastifyRequest): CloudEventMode {
  const type = mediaTypeOf(request);
  if (type === structuredType) return 'structured';
  if (type === batchType) return 'batched';
  // A page of another site cannot send this header without a CORS preflight.
  if (!type.startsWith('application/cloudevents') && 'ce-specversion' in request.headers) return 'binary';
  const detail = `Send a CloudEvent as ${structuredType}, several as ${batchType}, or one with the header ce-specversion.`;
  throw new ProblemError('unsupported_media_type', detail);
}
