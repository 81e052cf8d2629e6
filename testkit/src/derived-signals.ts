/**
 * Returns the number of signals that `AbortSignal.any` derived from the given signal. Node.js keeps derived signals in
 * memory as long as the given signal exists.
 */
export function derivedSignals(signal: AbortSignal): number {
  const key = Object.getOwnPropertySymbols(signal).find(({ description }) =>
    description?.startsWith('kDepend'),
  );
  const known = key && (signal as unknown as Record<symbol, Set<unknown> | undefined>)[key];
  return known?.size ?? 0;
}
