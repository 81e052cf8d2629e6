import { getMaxListeners, setMaxListeners } from 'node:events';

/**
 * Runs a function with a signal that is aborted with the first of `signals`, for the same reason. `AbortSignal.any`
 * would leave more behind: a long-lived signal keeps a reference to every signal derived from it.
 */
export async function withAnySignal<T>(
  signals: readonly AbortSignal[],
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const own = new AbortController();
  const stopListening = signals.map((signal) => listen(signal, () => own.abort(signal.reason)));
  try {
    return await run(own.signal);
  } finally {
    for (const stop of stopListening) stop();
  }
}

/** Calls `aborted` when the signal is aborted. Returns a function that removes the listener. */
function listen(signal: AbortSignal, aborted: () => void): () => void {
  if (signal.aborted) {
    aborted();
    return () => undefined;
  }
  // Many concurrent calls add many listeners to one signal, which is no leak. A higher limit prevents Node's warning.
  allowMore(signal, 1);
  signal.addEventListener('abort', aborted, { once: true });
  return () => {
    signal.removeEventListener('abort', aborted);
    allowMore(signal, -1);
  };
}

function allowMore(signal: AbortSignal, listeners: number): void {
  const most = listenersAllowed(signal);
  if (most !== Infinity) setMaxListeners(Math.max(1, most + listeners), signal);
}

/** Returns the signal's limit of listeners. A limit of zero means no limit; `getMaxListeners` of Node throws for it. */
function listenersAllowed(signal: AbortSignal): number {
  try {
    return getMaxListeners(signal) || Infinity;
  } catch {
    return Infinity;
  }
}
