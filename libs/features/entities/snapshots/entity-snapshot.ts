import type { EpochMicros } from '#json';
import type { AuthorizationScope, ScopedEntityReference } from '#store';

/** Identifies an event within its stream: a recreated Kafka topic assigns offsets from 0 again, so times are needed. */
export interface EventOffsetAndTimestamps {
  partition: number;
  offset: number;
  timestamp: EpochMicros;
  ingested_at: EpochMicros;
}

/** The key of a stored event, with the version that the materializer has given to the event; 0 without an entity. */
export interface EventVersion extends EventOffsetAndTimestamps {
  version: number;
}

/** One event of an entity: the fields that its state is computed from. */
export interface EntityHistoryEvent extends EventVersion {
  /** The event's `data`, as the JSON text of an object. */
  data: string;
}

/** Why a snapshot was created: `automatic` by the processor, or `requested` over the API. */
export type EntitySnapshotReason = 'automatic' | 'requested';

/** The saved state of an entity after its event of one version, with the first and the last event that it includes. */
export interface EntitySnapshot {
  stream: string;
  entity_id: string;
  version: number;
  /** The first event that the snapshot includes. */
  first: EventOffsetAndTimestamps;
  /** The last event that the snapshot includes: that of the snapshot's version. */
  last: EventOffsetAndTimestamps;
  /** The greatest timestamp of the events that the snapshot includes. */
  latest_timestamp: EpochMicros;
  created_at: EpochMicros;
  reason: EntitySnapshotReason;
  /** The state of the entity, as the JSON text of an object. */
  state: string;
}

/** Names the stored events of one entity. */
export interface ScopedEntityReferenceAsOf extends ScopedEntityReference {
  /** Only events with a timestamp up to this one, inclusive. */
  asOf?: EpochMicros;
}

/** The least and the greatest version among the stored events of an entity. */
export interface EntityStoredVersionRange {
  first: number;
  last: number;
}

/** Maximum number of versions in one history query. */
export const maxHistoryVersions = 16_384;

/** A range of versions of an entity: those above `after`, up to `upTo`; at most `maxHistoryVersions`. */
export interface EntityHistoryRange {
  entityId: string;
  after: number;
  upTo: number;
}

/** A query for the events of one entity in a range of versions. */
export interface EntityHistoryQuery extends ScopedEntityReferenceAsOf, EntityHistoryRange {}

/** A query for the snapshot of one entity with the greatest version up to `upTo`. */
export interface NearestEntitySnapshotQuery extends ScopedEntityReferenceAsOf {
  upTo: number;
}

/** A query for one page of snapshots, newest first. */
export interface EntitySnapshotsQuery extends AuthorizationScope {
  stream?: string;
  entityId?: string;
  limit: number;
  cursor?: string;
}
