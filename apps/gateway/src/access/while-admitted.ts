import type { Principal } from '#http';

/** Milliseconds between two looks at whether a key still holds. */
const checkMs = 1_000;

/**
 * A signal that is aborted when the client goes, or its key ends: was revoked, has expired. `end` stops looking.
 */
export function whileAdmitted(
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
