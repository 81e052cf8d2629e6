import { isReservedStream, permitsStream, reservedStreamPrefix, type StreamAccess } from '#api';
// Defines problems that this file uses.
import '#registry';
import type { ParsedEvents } from './read-request.js';
import { EventRejection } from './rejection.js';

/**
 * Returns the rejection if this authorization scope does not permit writing to or creating a stream; undefined if it
 * does. The function does not check whether the stream exists, so that a key cannot find out which other streams exist.
 */
export function refusalOf(stream: string, access: StreamAccess, pointer: string): EventRejection | undefined {
  if (isReservedStream(stream)) {
    const detail = `Names that begin with ${reservedStreamPrefix} are reserved: only the system writes to these streams.`;
    return new EventRejection('stream_reserved', detail, [{ pointer, detail: 'must be another name' }]);
  }
  if (permitsStream(access, stream)) return undefined;
  const detail = `This API key covers ${access.patterns?.join(', ') || 'no stream'}.`;
  return new EventRejection('stream_forbidden', detail, [
    { pointer, detail: 'must be a stream that this API key covers' },
  ]);
}

/** Replaces each event whose stream the authorization scope does not permit by a rejection, in place. */
export function authorizeStreams(
  events: ParsedEvents,
  access: StreamAccess,
  pointerTo: (index: number) => string,
): void {
  let permitted: string | undefined;
  for (let i = 0; i < events.length; i++) {
    const event = events[i]!;
    if (event instanceof EventRejection) {
      // A rejected event must not be kept in a stream that is not permitted either.
      const stream = event.sent?.stream;
      if (stream !== undefined && refusalOf(stream, access, '')) events[i] = event.unknown();
      continue;
    }
    if (event.stream === permitted) continue;
    const refusal = refusalOf(event.stream, access, `${pointerTo(i)}/stream`);
    if (refusal) events[i] = refusal;
    else permitted = event.stream;
  }
}

/**
 * Requires permission to write to the stream in the request's path. @throws ProblemError 403 when this authorization
 * scope does not permit it
 */
export function requireAuthorized(stream: string, access: StreamAccess): void {
  const refusal = refusalOf(stream, access, 'stream');
  if (refusal) throw refusal.toProblem();
}
