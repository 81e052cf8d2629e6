/** Returns the index to which a key leads in a chart of `count` points; undefined for any other key. */
export function indexOfKey(key: string, index: number | undefined, count: number): number | undefined {
  const last = count - 1;
  if (key === 'Home') return 0;
  if (key === 'End') return last;
  if (key === 'ArrowLeft') return Math.max(0, (index ?? count) - 1);
  if (key === 'ArrowRight') return index === undefined ? last : Math.min(last, index + 1);
  return undefined;
}
