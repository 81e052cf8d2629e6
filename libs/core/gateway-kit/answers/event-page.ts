import { cloudEventJson, eventToJson, streamSource, type StoredEvent } from '#event';
import { csvHeader, csvLine } from './csv.js';
import type { PageMediaType } from './media-type.js';

/** One page of an event query: the events, and the cursor of the next page. */
export interface StoredEventPage {
  items: readonly StoredEvent[];
  nextCursor?: string;
}

/**
 * Minimum number of characters of one write to an HTTP client's socket. The size keeps the number of writes low and the
 * memory of a slow client small.
 */
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

function* jsonPieces({ items, nextCursor }: StoredEventPage): Generator<string> {
  yield '{"events":[';
  for (const [index, event] of items.entries()) yield (index === 0 ? '' : ',') + eventToJson(event);
  const more = nextCursor !== undefined;
  yield `],"count":${items.length},"has_more":${more},"next_cursor":${JSON.stringify(nextCursor ?? null)}}`;
}
