import type { Principal } from '#http';

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
