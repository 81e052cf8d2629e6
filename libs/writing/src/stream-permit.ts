import { isReservedStream, permitsStream, reservedStreamPrefix, type StreamAccess } from '#api';
import type { ReadEvents } from './read-request.js';
import { Rejection } from './rejection.js';

/**
 * Why a request with this access may not write to a stream, or create it; undefined when it may. Whether there is such
 * a stream is not looked at: a key learns nothing about what it does not cover.
 */
export function refusalOf(stream: string, access: StreamAccess, pointer: string): Rejection | undefined {
  if (isReservedStream(stream)) {
    const detail = `Names that begin with ${reservedStreamPrefix} are the system's own: only the system writes there.`;
    return new Rejection('stream_reserved', detail, [{ pointer, detail: 'must be another name' }]);
  }
  if (permitsStream(access, stream)) return undefined;
  const detail = `This API key covers ${access.patterns?.join(', ') || 'no stream'}.`;
  return new Rejection('stream_forbidden', detail, [
    { pointer, detail: 'must be a stream that this API key covers' },
  ]);
}

/** Puts a rejection in the place of each event whose stream this access does not cover. */
export function permitStreams(
  events: ReadEvents,
  access: StreamAccess,
  pointerTo: (index: number) => string,
): void {
  let permitted: string | undefined;
  for (let i = 0; i < events.length; i++) {
    const event = events[i]!;
    if (event instanceof Rejection) {
      // What may not go to a stream is not kept there either.
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

/** @throws ProblemError when a request with this access may not write to the stream that its address names */
export function requirePermitted(stream: string, access: StreamAccess): void {
  const refusal = refusalOf(stream, access, 'stream');
  if (refusal) throw refusal.toProblem();
}
