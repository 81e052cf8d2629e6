import { getMaxListeners, setMaxListeners } from 'node:events';

/**
 * Runs something with a signal of its own, which is aborted as soon as one of these is, with the same reason. Afterwards
 * nothing of it is left on them: one that lives on keeps a reference to every signal that `AbortSignal.any` makes of it.
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

/** Returns what ends it. */
function listen(signal: AbortSignal, aborted: () => void): () => void {
  if (signal.aborted) {
    aborted();
    return () => undefined;
  }
  // Each that runs listens until it ends, however many there are: that is no leak to warn of.
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

/** Zero is no bound, and Node's `getMaxListeners` throws where it is zero. */
function listenersAllowed(signal: AbortSignal): number {
  try {
    return getMaxListeners(signal) || Infinity;
  } catch {
    return Infinity;
  }
}
