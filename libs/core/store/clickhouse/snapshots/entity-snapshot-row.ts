import type { EntitySnapshot, EntitySnapshotReason } from '../../entity-snapshot-store.js';
import type { RowBinaryWriter } from '../../row-batch/row-binary.js';

/** The columns of the ClickHouse table `snapshots`, in the order in which `writeSnapshot` writes them. */
export const snapshotColumns = [
  'stream',
  'entity_id',
  'version',
  'partition',
  'offset',
  'timestamp',
  'ingested_at',
  'first_partition',
  'first_offset',
  'first_timestamp',
  'first_ingested_at',
  'latest_timestamp',
  'created_at',
  'reason',
  'state_bytes',
  'state',
] as const;

export function writeSnapshot(out: RowBinaryWriter, snapshot: EntitySnapshot): void {
  const { first, last, state } = snapshot;
  out.string(snapshot.stream);
  out.string(snapshot.entity_id);
  out.int64(snapshot.version);
  out.uint16(last.partition);
  out.int64(last.offset);
  out.int64(last.timestamp);
  out.int64(last.ingested_at);
  out.uint16(first.partition);
  out.int64(first.offset);
  out.int64(first.timestamp);
  out.int64(first.ingested_at);
  out.int64(snapshot.latest_timestamp);
  out.int64(snapshot.created_at);
  out.string(snapshot.reason);
  out.uint32(Buffer.byteLength(state));
  out.string(state);
}

/**
 * A row of a snapshot without its state; the last value is 1 if the first and the last event of the snapshot
 * are stored.
 */
export type EntitySnapshotMetadataRow = [
  stream: string,
  entityId: string,
  version: number,
  partition: number,
  offset: number,
  timestamp: number,
  ingestedAt: number,
  firstPartition: number,
  firstOffset: number,
  firstTimestamp: number,
  firstIngestedAt: number,
  latestTimestamp: number,
  createdAt: number,
  reason: EntitySnapshotReason,
  stateBytes: number,
  counts: number,
];

/** A row of a snapshot with its state: the values of an `EntitySnapshotMetadataRow`, then the state as JSON text. */
export type EntitySnapshotRow = [...head: EntitySnapshotMetadataRow, state: string];

/** A snapshot of an entity without its state, which may be large. */
export interface EntitySnapshotMetadata extends Omit<EntitySnapshot, 'state'> {
  stateBytes: number;
  /** True if the first and the last event of the snapshot are both stored. */
  counts: boolean;
}

export function readSnapshotMetadata(
  row: EntitySnapshotMetadataRow | EntitySnapshotRow,
): EntitySnapshotMetadata {
  const [stream, entity_id, version, partition, offset, timestamp, ingested_at] = row;
  const [first_partition, first_offset, first_timestamp, first_ingested_at] = row.slice(7, 11) as number[];
  return {
    ...{ stream, entity_id, version },
    last: { partition, offset, timestamp, ingested_at },
    first: {
      partition: first_partition!,
      offset: first_offset!,
      timestamp: first_timestamp!,
      ingested_at: first_ingested_at!,
    },
    latest_timestamp: row[11],
    created_at: row[12],
    reason: row[13],
    stateBytes: row[14],
    counts: row[15] === 1,
  };
}
