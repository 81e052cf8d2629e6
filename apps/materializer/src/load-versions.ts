import type { PartitionErasures } from '#engine';
import type { RowWriter } from './row-writer.js';
import type { EntityHead } from './version-cache.js';

/** Which entities of which partition, and the offset that they are needed from. */
export interface VersionsWanted {
  stream: string;
  partition: number;
  before: number;
  heads: ReadonlyMap<string, EntityHead>;
}

/**
 * Sets the last version of entities, as the store has it. An erased entity's versions start again, and what was erased
 * may still be stored.
 */
export async function loadVersions(
  writer: Pick<RowWriter, 'versions'>,
  { heads, ...wanted }: VersionsWanted,
  erasures: Pick<PartitionErasures, 'endOf'>,
): Promise<void> {
  for (const [from, entityIds] of byErasure([...heads.keys()], erasures)) {
    const found = await writer.versions({ ...wanted, entityIds, from });
    for (const [entity, version] of found) heads.get(entity)!.version = version;
  }
}

function byErasure(
  entityIds: readonly string[],
  erasures: Pick<PartitionErasures, 'endOf'>,
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
