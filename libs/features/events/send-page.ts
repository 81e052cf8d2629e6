import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { TimeSlice } from '#async';
import { countAnswerBytes } from '#http';
import {
  encodePage,
  missingShardsHeader,
  type StoredEventPage,
  type PageMediaType,
  nextPageHeaders,
} from '#gateway-kit';

const contentTypes: Record<PageMediaType, string> = {
  'application/json': 'application/json; charset=utf-8',
  'application/x-ndjson': 'application/x-ndjson',
  'text/csv': 'text/csv; charset=utf-8; header=present',
  'application/cloudevents-batch+json': 'application/cloudevents-batch+json; charset=utf-8',
};

/** Approximate size of an event's members other than `data` and `metadata`, in bytes. */
const eventBytes = 512;

/**
 * Sends a page of events. A small page of events is sent at once, with its length; a large page is sent as fast as the
 * client reads.
 * @throws ProblemError 503 `overloaded` when the answers that clients have not received yet use too much memory
 */
export function sendPage(
  page: StoredEventPage,
  type: PageMediaType,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): void {
  const pieces = encodePage(page, type);
  const first = pieces.next();
  const second = pieces.next();
  if (!second.done) countAnswerBytes(request, reply, pageBytes(page));
  void reply.headers({
    'content-type': contentTypes[type],
    vary: 'accept',
    ...nextPageHeaders(request.url, page.nextCursor),
    ...missingShardsHeader(page.missingShards),
    ...(type === 'text/csv' && { 'content-disposition': 'attachment; filename="events.csv"' }),
  });
  if (second.done) void reply.send(first.value ?? '');
  else {
    const all = inTimeSlices([first.value as string, second.value], pieces);
    void reply.send(Readable.from(all, { objectMode: false }));
  }
}

/** Returns the approximate memory that the events of a page use, in bytes. */
function pageBytes({ items }: StoredEventPage): number {
  return items.reduce((bytes, { data, metadata }) => bytes + data.length + metadata.length + eventBytes, 0);
}

/**
 * Yields the pieces of an answer. Between two pieces, other work of the process may run, even when the client reads
 * fast.
 */
export async function* inTimeSlices(
  read: readonly string[],
  rest: Iterable<string> | AsyncIterable<string>,
): AsyncGenerator<string> {
  yield* read;
  const turn = new TimeSlice();
  for await (const piece of rest) {
    if (turn.over(piece.length)) await turn.end();
    yield piece;
  }
}
