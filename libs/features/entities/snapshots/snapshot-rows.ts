import { RowTable } from '#store';
import type { EntitySnapshot, EntitySnapshotReason } from './entity-snapshot.js';

/** The ClickHouse table `snapshots`. Times are in microseconds since 1970. */
export const snapshotTable = new RowTable<EntitySnapshot>('snapshots', {
  stream: (out, { stream }) => out.string(stream),
  entity_id: (out, { entity_id }) => out.string(entity_id),
  version: (out, { version }) => out.int64(version),
  partition: (out, { last }) => out.uint16(last.partition),
  offset: (out, { last }) => out.int64(last.offset),
  timestamp: (out, { last }) => out.int64(last.timestamp),
  ingested_at: (out, { last }) => out.int64(last.ingested_at),
  first_partition: (out, { first }) => out.uint16(first.partition),
  first_offset: (out, { first }) => out.int64(first.offset),
  first_timestamp: (out, { first }) => out.int64(first.timestamp),
  first_ingested_at: (out, { first }) => out.int64(first.ingested_at),
  latest_timestamp: (out, { latest_timestamp }) => out.int64(latest_timestamp),
  created_at: (out, { created_at }) => out.int64(created_at),
  reason: (out, { reason }) => out.string(reason),
  state_bytes: (out, { state }) => out.uint32(Buffer.byteLength(state)),
  state: (out, { state }) => out.string(state),
});

/** The columns of a snapshot without its state, in the order of `EntitySnapshotMetadataRow`. */
export const metadataColumns =
  'stream, entity_id, version, partition, offset, timestamp, ingested_at, ' +
  'first_partition, first_offset, first_timestamp, first_ingested_at, ' +
  'latest_timestamp, created_at, reason, state_bytes';

type EventKeyColumns = [partition: number, offset: number, timestamp: number, ingestedAt: number];

/** The `metadataColumns` of a snapshot, 1 if its first and last event are stored, and for some queries its state. */
export type EntitySnapshotMetadataRow = [
  ...[stream: string, entityId: string, version: number],
  ...last: EventKeyColumns,
  ...first: EventKeyColumns,
  ...[latestTimestamp: number, createdAt: number, reason: EntitySnapshotReason, stateBytes: number],
  areEventsStored: number,
  state?: string,
];

/** A snapshot of an entity without its state, which may be large. */
export interface EntitySnapshotMetadata extends Omit<EntitySnapshot, 'state'> {
  stateBytes: number;
  /** True if the first and the last event of the snapshot are both stored. */
  areEventsStored: boolean;
}

/** Reads a row with the metadata of a snapshot. */
export function readSnapshotMetadata(row: EntitySnapshotMetadataRow): EntitySnapshotMetadata {
  return {
    stream: row[0],
    entity_id: row[1],
    version: row[2],
    last: { partition: row[3], offset: row[4], timestamp: row[5], ingested_at: row[6] },
    first: { partition: row[7], offset: row[8], timestamp: row[9], ingested_at: row[10] },
    latest_timestamp: row[11],
    created_at: row[12],
    reason: row[13],
    stateBytes: row[14],
    areEventsStored: row[15] === 1,
  };
}
