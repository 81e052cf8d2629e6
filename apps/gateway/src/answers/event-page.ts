import { cloudEventJson, eventToJson, streamSource, type StoredEvent } from '#event';
import { csvHeader, csvLine } from './csv.js';
import type { PageMediaType } from './media-type.js';

/** A page as the store gives it. */
export interface EventPage {
  items: readonly StoredEvent[];
  nextCursor?: string;
}

/** Characters that are handed to the socket at a time: few writes, and a slow reader holds little. */
const chunkCharacters = 64 * 1024;

/**
 * The body of a page of events, in pieces. `data` and `metadata` are put in as the text they were sent as: parsing and
 * printing them again would change big numbers.
 */
export function* encodePage(page: EventPage, type: PageMediaType): Generator<string> {
  let chunk = '';
  for (const piece of pieces(page, type)) {
    chunk += piece;
    if (chunk.length < chunkCharacters) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}

function pieces(page: EventPage, type: PageMediaType): Generator<string> {
  if (type === 'text/csv') return csvPieces(page);
  if (type === 'application/x-ndjson') return ndjsonPieces(page);
  if (type === 'application/cloudevents-batch+json') return cloudEventPieces(page);
  return jsonPieces(page);
}

function* csvPieces({ items }: EventPage): Generator<string> {
  yield csvHeader;
  for (const event of items) yield csvLine(event);
}

function* ndjsonPieces({ items }: EventPage): Generator<string> {
  for (const event of items) yield `${onOneLine(eventToJson(event))}\n`;
}

function* cloudEventPieces({ items }: EventPage): Generator<string> {
  yield '[';
  for (const [index, event] of items.entries())
    yield (index === 0 ? '' : ',') + cloudEventJson(event, streamSource(event.stream));
  yield ']';
}

/** Line breaks in valid JSON only stand between its parts, where a space means the same. */
export function onOneLine(json: string): string {
  return json.replaceAll(/[\n\r]/g, ' ');
}

function* jsonPieces({ items, nextCursor }: EventPage): Generator<string> {
  yield '{"events":[';
  for (const [index, event] of items.entries()) yield (index === 0 ? '' : ',') + eventToJson(event);
  const more = nextCursor !== undefined;
  yield `],"count":${items.length},"has_more":${more},"next_cursor":${JSON.stringify(nextCursor ?? null)}}`;
}
