import type { PartitionErasureLookup } from '#engine';
import type { MaterializerStore } from './materializer-store.js';
import type { LatestEntityVersion } from './entity-version-cache.js';

/** A query for the latest versions that entities of a partition have below the offset `before`. */
interface LatestEntityVersionsQuery {
  stream: string;
  partition: number;
  before: number;
  heads: ReadonlyMap<string, LatestEntityVersion>;
}

/**
 * Loads the latest stored versions of the entities, and sets `heads` to them. For an erased entity, only events after
 * the erasure count, because the store may still have the erased events.
 */
export async function loadVersions(
  writer: Pick<MaterializerStore, 'latestVersions'>,
  { heads, ...wanted }: LatestEntityVersionsQuery,
  erasures: Pick<PartitionErasureLookup, 'endOf'>,
): Promise<void> {
  for (const [from, entityIds] of byErasure([...heads.keys()], erasures)) {
    const found = await writer.latestVersions({ ...wanted, entityIds, from });
    for (const [entity, version] of found) heads.get(entity)!.version = version;
  }
}

function byErasure(
  entityIds: readonly string[],
  erasures: Pick<PartitionErasureLookup, 'endOf'>,
): Map<number, string[]> {
  const groups = new Map<number, string[]>();
  for (const entityId of entityIds) {
    const end = erasures.endOf(entityId);
    const group = groups.get(end);
    if (group) group.push(entityId);
    else groups.set(end, [entityId]);
  }
  return groups;
}
