import { TupleParam } from '@clickhouse/client';
import type { StoreClickHouseClient } from '../store-clickhouse-client.js';
import { entityHashCondition } from './erased-entity.js';
import { hasRows, removeRows, type EventRowCondition } from './row-set.js';

/**
 * Identifies a snapshot among those of its entity: by its version, and by the partition, offset and ingestion time of
 * its last event.
 */
interface EntitySnapshotKey {
  version: number;
  last: { partition: number; offset: number; ingested_at: number };
}

/**
 * Removes the snapshots of a set, if there are any. A snapshot is removed together with its first event: the
 * set's condition uses the columns `first_partition`, `first_offset` and `first_ingested_at`.
 */
export async function removeSnapshots(
  connection: StoreClickHouseClient,
  set: EventRowCondition,
): Promise<void> {
  if (await hasRows(connection, 'snapshots', set)) await removeRows(connection, 'snapshots', set);
}

/**
 * Removes single snapshots of one entity. The DELETE statement contains only the entity's hash, not its id.
 */
export function removeSnapshotsByKey(
  connection: StoreClickHouseClient,
  { stream, hash, places }: { stream: string; hash: string; places: readonly EntitySnapshotKey[] },
): Promise<void> {
  const keys = places.map(
    ({ version, last }) => new TupleParam([version, last.partition, last.offset, last.ingested_at]),
  );
  const these =
    '(version, partition, offset, ingested_at) IN {keys:Array(Tuple(UInt64, UInt16, UInt64, Int64))}';
  return removeRows(connection, 'snapshots', {
    stream,
    condition: `${entityHashCondition('entity_id')} AND ${these}`,
    params: { hash, keys },
  });
}
