import { isReservedStream, permitsStream, ProblemError, type StreamAccess } from '#contracts';

/**
 * Refuses streams that a request names and its key does not cover. Whether they exist is not looked at: a key learns
 * nothing about what it may not see.
 * @throws ProblemError 403 `stream_forbidden`
 */
export function requirePermitted(
  access: StreamAccess,
  streams: readonly string[],
  { pointer }: { pointer: string },
): void {
  const refused = [...new Set(streams)].filter((stream) => !permitsStream(access, stream));
  if (refused.length === 0) return;
  const covers =
    access.patterns === undefined ? "every stream but the system's own" : access.patterns.join(', ');
  throw new ProblemError('stream_forbidden', `This API key covers ${covers || 'no stream'}.`, {
    errors: refused.map((stream) => ({ pointer, detail: `${stream} is not among the streams of this key` })),
  });
}

/**
 * Refuses a change of what is the system's own, whoever asks.
 * @throws ProblemError 403 `stream_reserved`
 */
export function refuseReserved(stream: string, { pointer }: { pointer: string }): void {
  if (!isReservedStream(stream)) return;
  const detail = `${stream} belongs to the system: it can be read, and only the system changes it`;
  throw new ProblemError('stream_reserved', `${detail}.`, { errors: [{ pointer, detail }] });
}
