import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { encodePage, type EventPage } from '../answers/event-page.js';
import type { PageMediaType } from '../answers/media-type.js';
import { nextPageHeaders } from '../answers/next-page.js';

const contentTypes: Record<PageMediaType, string> = {
  'application/json': 'application/json; charset=utf-8',
  'application/x-ndjson': 'application/x-ndjson',
  'text/csv': 'text/csv; charset=utf-8; header=present',
};

/** Sends a page of events. A small one goes out whole, with its length; a large one as fast as the client reads. */
export function sendPage(
  page: EventPage,
  type: PageMediaType,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): void {
  void reply.headers({
    'content-type': contentTypes[type],
    vary: 'accept',
    ...nextPageHeaders(request.url, page.nextCursor),
    ...(type === 'text/csv' && { 'content-disposition': 'attachment; filename="events.csv"' }),
  });
  const pieces = encodePage(page, type);
  const first = pieces.next();
  const second = pieces.next();
  if (second.done) void reply.send(first.value ?? '');
  else
    void reply.send(Readable.from(all([first.value as string, second.value], pieces), { objectMode: false }));
}

function* all(read: readonly string[], rest: Iterable<string>): Generator<string> {
  yield* read;
  yield* rest;
}
