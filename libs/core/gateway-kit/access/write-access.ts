import { isReservedStream, permitsStream, ProblemError, type StreamAccess } from '#api';
import '#registry';

/**
 * Refuses writes to streams that the key's patterns do not cover. The answer names the key's patterns and is the same
 * whether the streams exist or not. A read of such streams is answered as if they did not exist: see `StreamReadAuthorizer`.
 * @throws ProblemError 403 `stream_forbidden`
 */
export function requireWriteAccess(
  access: StreamAccess,
  streams: readonly string[],
  { pointer }: { pointer: string },
): void {
  if (streams.every((stream) => permitsStream(access, stream))) return;
  const covers = access.patterns?.join(', ') ?? "every stream but the system's own";
  const detail = `must be a stream that this API key covers: ${covers || 'it covers none'}`;
  throw new ProblemError('stream_forbidden', `This API key covers ${covers || 'no stream'}.`, {
    errors: [{ pointer, detail }],
  });
}

/**
 * Refuses changes to the system's own streams, for every caller.
 * @throws ProblemError 403 `stream_reserved`
 */
export function refuseReserved(stream: string, { pointer }: { pointer: string }): void {
  if (!isReservedStream(stream)) return;
  const detail = `${stream} belongs to the system: it can be read, and only the system changes it`;
  throw new ProblemError('stream_reserved', `${detail}.`, { errors: [{ pointer, detail }] });
}
