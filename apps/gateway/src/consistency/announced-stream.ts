import type { Definitions, StreamDefinition } from '#registry';

/**
 * The definition of a stream, also when another process has only just created it: such a one becomes known here within
 * moments. Resolves undefined when it has not within the given time; rejects with the signal's reason.
 */
export function announcedStream(
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
