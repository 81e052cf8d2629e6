import { TupleParam } from '@clickhouse/client';
import type { Connection } from '../connection.js';
import { hashIs } from './erased-entity.js';
import { hasRows, removeRows, type RowSet } from './row-set.js';

/** The last event of a snapshot, and its version. */
export interface SnapshotPlace {
  version: number;
  last: { partition: number; offset: number; ingested_at: number };
}

/**
 * Removes the snapshots of a set, where there are any. A snapshot goes with its first event: the set says which of these go
 * in the columns `first_partition`, `first_offset` and `first_ingested_at`.
 */
export async function removeSnapshots(connection: Connection, set: RowSet): Promise<void> {
  if (await hasRows(connection, 'snapshots', set)) await removeRows(connection, 'snapshots', set);
}

/** Removes single snapshots of one entity; the statement does not name it. */
export function removeSnapshotsAt(
  connection: Connection,
  { stream, hash, places }: { stream: string; hash: string; places: readonly SnapshotPlace[] },
): Promise<void> {
  const keys = places.map(
    ({ version, last }) => new TupleParam([version, last.partition, last.offset, last.ingested_at]),
  );
  const these =
    '(version, partition, offset, ingested_at) IN {keys:Array(Tuple(UInt64, UInt16, UInt64, Int64))}';
  return removeRows(connection, 'snapshots', {
    stream,
    condition: `${hashIs('entity_id')} AND ${these}`,
    params: { hash, keys },
  });
}
