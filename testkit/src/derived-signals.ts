/** How many signals Node remembers for having been made of this one by `AbortSignal.any`: none go while it lives. */
export function derivedSignals(signal: AbortSignal): number {
  const key = Object.getOwnPropertySymbols(signal).find(({ description }) =>
    description?.startsWith('kDepend'),
  );
  const known = key && (signal as unknown as Record<symbol, Set<unknown> | undefined>)[key];
  return known?.size ?? 0;
}
