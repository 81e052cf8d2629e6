import type { PartitionErasureLookup } from '#engine';
import type { EventWriter } from '#store';
import type { LatestEntityVersion } from './entity-version-cache.js';

/** A query for the latest versions that entities of a partition have below the offset `before`. */
interface LatestEntityVersionsQuery {
  stream: string;
  partition: number;
  before: number;
  latest: ReadonlyMap<string, LatestEntityVersion>;
}

/**
 * Loads the latest stored versions of the entities, and sets `latest` to them. For an erased entity, only events after
 * the erasure count, because the store may still have the erased events.
 */
export async function loadVersions(
  writer: Pick<EventWriter, 'latestVersions'>,
  { latest, ...query }: LatestEntityVersionsQuery,
  erasures: Pick<PartitionErasureLookup, 'endOf'>,
): Promise<void> {
  const byErasure = new Map<number, string[]>();
  for (const entity of latest.keys()) {
    const end = erasures.endOf(entity);
    const group = byErasure.get(end);
    if (group) group.push(entity);
    else byErasure.set(end, [entity]);
  }
  for (const [from, entityIds] of byErasure) {
    const found = await writer.latestVersions({ ...query, entityIds, from });
    for (const [entity, version] of found) latest.get(entity)!.version = version;
  }
}
