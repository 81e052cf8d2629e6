import Negotiator from 'negotiator';
import { ProblemError } from '#api';

/** The media types of a page of events; the first is the default. */
export const pageMediaTypes = [
  'application/json',
  'application/x-ndjson',
  'text/csv',
  'application/cloudevents-batch+json',
] as const;

/** Media type of a page of events: JSON, NDJSON, CSV or another entry of `pageMediaTypes`. */
export type PageMediaType = (typeof pageMediaTypes)[number];

/**
 * Chooses the media type of the answer by the request's Accept header (RFC 9110, 12.5.1).
 * @throws ProblemError 406 `not_acceptable` when the header allows none of them
 */
export function pageMediaType(accept: string | undefined): PageMediaType {
  const negotiator = new Negotiator({ headers: { accept } });
  const chosen = negotiator.mediaType([...pageMediaTypes]);
  const known = pageMediaTypes.find((type) => type === chosen);
  if (known) return known;
  throw new ProblemError('not_acceptable', `The answer is available as ${pageMediaTypes.join(', ')}.`);
}
