import { cloudEventJson, eventToJson, streamSource, type StoredEvent } from '#event';
import { csvHeader, csvLine } from './csv.js';
import Negotiator from 'negotiator';
import { ProblemError } from '#api';

/** One page of an event query: the events, and the cursor of the next page. */
export interface StoredEventPage {
  items: readonly StoredEvent[];
  nextCursor?: string;
  /** Numbers of the shards whose events the page lacks, if a shard does not answer. */
  missingShards?: readonly number[] | undefined;
  /** Why the query has perhaps found nothing, as the answer says it; only JSON answers have it. */
  hints?: readonly object[] | undefined;
}

/** Minimum characters of one write to a socket: few writes, and little memory for a slow client. */
const chunkCharacters = 64 * 1024;

/**
 * Yields the body of a page of events in pieces. `data` and `metadata` are copied as the text that the client sent:
 * parsing and printing them again would change large numbers.
 */
export function encodePage(page: StoredEventPage, type: PageMediaType): Generator<string> {
  return chunksOf(pieces(page, type));
}

/** Joins texts to chunks of at least 65 536 characters. The last chunk is smaller. */
export function* chunksOf(texts: Iterable<string>): Generator<string> {
  let chunk = '';
  for (const piece of texts) {
    chunk += piece;
    if (chunk.length < chunkCharacters) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}

function pieces(page: StoredEventPage, type: PageMediaType): Generator<string> {
  if (type === 'text/csv') return csvPieces(page);
  if (type === 'application/x-ndjson') return ndjsonPieces(page);
  if (type === 'application/cloudevents-batch+json') return cloudEventPieces(page);
  return jsonPieces(page);
}

function* csvPieces({ items }: StoredEventPage): Generator<string> {
  yield csvHeader;
  for (const event of items) yield csvLine(event);
}

function* ndjsonPieces({ items }: StoredEventPage): Generator<string> {
  for (const event of items) yield `${onOneLine(eventToJson(event))}\n`;
}

function* cloudEventPieces({ items }: StoredEventPage): Generator<string> {
  yield '[';
  for (const [index, event] of items.entries())
    yield (index === 0 ? '' : ',') + cloudEventJson(event, streamSource(event.stream));
  yield ']';
}

/**
 * Replaces line breaks by spaces. In valid JSON, line breaks stand only between tokens, where a space means the same.
 */
export function onOneLine(json: string): string {
  return json.replaceAll(/[\n\r]/g, ' ');
}

function* jsonPieces({ items, nextCursor, missingShards, hints }: StoredEventPage): Generator<string> {
  yield '{"events":[';
  for (const [index, event] of items.entries()) yield (index === 0 ? '' : ',') + eventToJson(event);
  const more = nextCursor !== undefined;
  const missing = missingShards ? `,"missing_shards":${JSON.stringify(missingShards)}` : '';
  const why = hints ? `,"hints":${JSON.stringify(hints)}` : '';
  yield `],"count":${items.length},"has_more":${more},"next_cursor":${JSON.stringify(nextCursor ?? null)}${missing}${why}}`;
}

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

/**
 * Returns the headers that link to the next page: `X-Next-Cursor`, and `Link` (RFC 8288) with the same request and that
 * cursor. Media types whose body cannot have a cursor need them; JSON answers have them too. The link omits `wait_for`,
 * because its positions have been reached.
 */
export function nextPageHeaders(url: string, nextCursor: string | undefined): Record<string, string> {
  if (nextCursor === undefined) return {};
  const [path = '', query = ''] = url.split('?', 2);
  const parameters = new URLSearchParams(query);
  parameters.delete('wait_for');
  parameters.set('cursor', nextCursor);
  return {
    'x-next-cursor': encodeURIComponent(nextCursor),
    link: `<${encodeURI(decodedPath(path))}?${parameters.toString()}>; rel="next"`,
  };
}

function decodedPath(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

/** The content type of an answer whose body is already JSON text. */
export const jsonType = 'application/json; charset=utf-8';
