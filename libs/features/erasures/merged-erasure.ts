import type { Erasure } from '#registry';

/**
 * Merges a new erasure of an entity into the current one: for each partition, the larger of the two end offsets
 * applies. Returns the object `current` itself when it already covers the new erasure.
 */
export function mergedErasure(current: Erasure | undefined, wanted: Erasure): Erasure {
  if (!current) return wanted;
  const partitions = new Set([...Object.keys(current.before), ...Object.keys(wanted.before)]);
  const before = Object.fromEntries(
    [...partitions].map((partition) => [
      partition,
      Math.max(current.before[partition] ?? 0, wanted.before[partition] ?? 0),
    ]),
  );
  const same = [...partitions].every((partition) => before[partition] === current.before[partition]);
  return same ? current : { ...wanted, before };
}
