import type { Definitions, StreamDefinition } from '#registry';

/**
 * Resolves with the definition of a stream. Waits up to `withinMs` milliseconds for a stream that another process has
 * just created, and resolves with undefined when it remains unknown. Rejects with the signal's reason.
 */
export function awaitStream(
  definitions: Pick<Definitions, 'stream' | 'onChange'>,
  stream: string,
  { withinMs, signal }: { withinMs: number; signal: AbortSignal },
): Promise<StreamDefinition | undefined> {
  const known = definitions.stream(stream);
  if (known) return Promise.resolve(known);
  if (signal.aborted) return Promise.reject(signal.reason as Error);
  return new Promise((resolve, reject) => {
    const settle = (action: () => void) => {
      clearTimeout(timer);
      removeListener();
      signal.removeEventListener('abort', aborted);
      action();
    };
    const aborted = () => settle(() => reject(signal.reason as Error));
    const timer = setTimeout(() => settle(() => resolve(undefined)), withinMs);
    const removeListener = definitions.onChange(() => {
      const found = definitions.stream(stream);
      if (found) settle(() => resolve(found));
    });
    signal.addEventListener('abort', aborted);
  });
}
