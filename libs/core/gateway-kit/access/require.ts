import { isReservedStream, permitsStream, ProblemError, type StreamAccess } from '#api';
// Defines problems that this file uses.
import '#registry';
import { UseGuards, type ExecutionContext } from '@nestjs/common';
import { accessOf, type Principal } from '#http';

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

/** Refuses changes to the system's own streams, for every caller. @throws ProblemError 403 `stream_reserved` */
export function refuseReserved(stream: string, { pointer }: { pointer: string }): void {
  if (!isReservedStream(stream)) return;
  const detail = `${stream} belongs to the system: it can be read, and only the system changes it`;
  throw new ProblemError('stream_reserved', `${detail}.`, { errors: [{ pointer, detail }] });
}

/**
 * Requires that the query parameter `confirm` of an irreversible request, such as the deletion of a stream, repeats the
 * name of what the request deletes.
 * @throws ProblemError 400 `invalid_request` whose detail names the value to send
 */
export function requireConfirmation(confirm: string | undefined, expected: string, what: string): void {
  if (confirm === expected) return;
  const detail = `must repeat ${what}: confirm=${encodeURIComponent(expected)}`;
  const problem = confirm === undefined ? 'is missing' : 'does not match';
  throw new ProblemError('invalid_request', `This cannot be undone: the parameter confirm ${problem}.`, {
    errors: [{ pointer: 'confirm', detail }],
  });
}

/**
 * Decorator of routes for what belongs to no stream: a key that is limited to streams gets 403 `stream_forbidden`.
 * @param action such as `manage keys`: a limited key could issue keys without that limit
 */
export function RequireAllStreams(action: string): ClassDecorator & MethodDecorator {
  const canActivate = (context: ExecutionContext): true => {
    if (accessOf(context.switchToHttp().getRequest()).patterns === undefined) return true;
    throw new ProblemError('stream_forbidden', `An API key that is limited to streams cannot ${action}.`);
  };
  return UseGuards({ canActivate });
}

/** Milliseconds between two checks that the caller's key is still valid. */
const checkMs = 1_000;

/**
 * Returns a signal that is aborted when the client disconnects, or when its key is revoked or expires. The caller must
 * call `end` when the answer is complete: it stops the checks of the key.
 */
export function abortWhenKeyEnds(
  caller: Pick<Principal, 'requireStillAdmitted'>,
  client: AbortSignal,
): { signal: AbortSignal; end: () => void } {
  const ended = new AbortController();
  const timer = setInterval(() => {
    try {
      caller.requireStillAdmitted();
    } catch (error) {
      ended.abort(error);
    }
  }, checkMs);
  const gone = () => ended.abort(client.reason);
  client.addEventListener('abort', gone, { once: true });
  if (client.aborted) gone();
  return {
    signal: ended.signal,
    end: () => {
      clearInterval(timer);
      client.removeEventListener('abort', gone);
    },
  };
}
