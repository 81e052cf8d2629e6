import type { Erasure } from '#registry';

/**
 * Merges a new erasure of an entity into the current one: for each partition, the larger of the two end offsets
 * applies. Returns the object `current` itself when it already covers the new erasure.
 */
export function mergedErasure(current: Erasure | undefined, desired: Erasure): Erasure {
  if (!current) return desired;
  const partitions = new Set([...Object.keys(current.before), ...Object.keys(desired.before)]);
  const laterEnd = (partition: string) =>
    Math.max(current.before[partition] ?? 0, desired.before[partition] ?? 0);
  const before = Object.fromEntries([...partitions].map((one) => [one, laterEnd(one)]));
  const same = [...partitions].every((partition) => before[partition] === current.before[partition]);
  return same ? current : { ...desired, before };
}
