import type { FastifyRequest } from 'fastify';
import { ProblemError } from '#api';
import { mediaTypeOf } from '#http';

export const structuredType = 'application/cloudevents+json';
export const batchType = 'application/cloudevents-batch+json';

/** The content modes of CloudEvents over HTTP. */
export type CloudEventMode = 'binary' | 'structured' | 'batched';

/**
 * The mode that the media type tells.
 * @throws ProblemError 415 for a format other than JSON, and for what is not a CloudEvent at all
 */
export function modeOf(request: FastifyRequest): CloudEventMode {
  const type = mediaTypeOf(request);
  if (type === structuredType) return 'structured';
  if (type === batchType) return 'batched';
  // A page of another site cannot send this header without asking.
  if (!type.startsWith('application/cloudevents') && 'ce-specversion' in request.headers) return 'binary';
  const detail = `Send a CloudEvent as ${structuredType}, several as ${batchType}, or one with the header ce-specversion.`;
  throw new ProblemError('unsupported_media_type', detail);
}
