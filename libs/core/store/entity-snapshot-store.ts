import type { EpochMicros } from '#json';
import type { ScopedEntityReference, CursorPage, AuthorizationScope } from './query-types.js';

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

/**
 * Reads snapshots and the events they are derived from. A snapshot is current only while its first and last
 * event are stored; answers contain only current snapshots. So data removed by retention or erasure never
 * reappears in a state, whichever writer saved the snapshot and whenever.
 *
 * All methods throw QueryTooExpensiveError and StoreUnavailableError.
 */
export interface EntitySnapshotReader {
  /** Returns the versions of an entity's stored events; undefined if no event matches. */
  versionRange(
    query: ScopedEntityReferenceAsOf,
    signal?: AbortSignal,
  ): Promise<EntityStoredVersionRange | undefined>;
  /**
   * Returns the entity's events in a range of versions, ordered by version. If several events have the same version (a
   * removal is in progress), only the newest one is returned.
   */
  history(query: EntityHistoryQuery, signal?: AbortSignal): Promise<EntityHistoryEvent[]>;
  /** Returns the snapshot with the greatest version among those whose events all have a timestamp up to `asOf`. */
  nearest(query: NearestEntitySnapshotQuery, signal?: AbortSignal): Promise<EntitySnapshot | undefined>;
  /**
   * Returns snapshots, newest first. A page may end before its limit when its states are large. `total`
   * counts all stored snapshots that match, including snapshots that are not current.
   * @throws InvalidCursorError
   */
  snapshots(
    query: EntitySnapshotsQuery,
    signal?: AbortSignal,
  ): Promise<CursorPage<EntitySnapshot> & { total: number }>;
}

/**
 * Reads, saves and removes snapshots of entities. All writes are idempotent.
 * @throws StoreUnavailableError @throws RowsRejectedError
 */
export interface EntitySnapshotStore extends EntitySnapshotReader {
  /** Saves a snapshot; it replaces a stored snapshot of the same entity with the same version and last event. */
  save(snapshot: EntitySnapshot): Promise<void>;
  /** Removes the entity's snapshots that are not current, for example saved after their events were removed. */
  removeStale(entity: { stream: string; entityId: string }): Promise<void>;
}

/**
 * Reads and saves snapshots of many entities of one stream with one query each. The automatic snapshots need no
 * authorization scope.
 *
 * All methods throw QueryTooExpensiveError and StoreUnavailableError.
 */
export interface EntitySnapshotBatchStore {
  /** Returns for each entity the snapshot with the greatest version up to `upTo`, if it exists and is current. */
  nearestOf(
    query: { stream: string; entities: readonly Pick<EntityHistoryRange, 'entityId' | 'upTo'>[] },
    signal?: AbortSignal,
  ): Promise<Map<string, EntitySnapshot>>;
  /** Returns the events of each entity in its range of versions, as `EntitySnapshotReader.history` does for one entity. */
  historyOf(
    query: { stream: string; entities: readonly EntityHistoryRange[] },
    signal?: AbortSignal,
  ): Promise<Map<string, EntityHistoryEvent[]>>;
  /** Returns those of the snapshots that are current. */
  current(snapshots: readonly EntitySnapshot[], signal?: AbortSignal): Promise<EntitySnapshot[]>;
  /**
   * Returns the stored events at the partitions and offsets of these keys, with their versions. An event can have another
   * time than the key: after a Kafka topic was recreated, its offsets begin again. The cost is that of the stream's
   * events between the least and the greatest timestamp and offset of the keys.
   */
  versionsAt(
    query: { stream: string; keys: readonly EventOffsetAndTimestamps[] },
    signal?: AbortSignal,
  ): Promise<EventVersion[]>;
  /**
   * Returns the number of removed events of each partition of a stream from which events were removed. The number grows
   * before the events and the snapshots that include them are removed: if the number is the same before and after a
   * snapshot is saved, no removal has missed the snapshot.
   */
  removedEvents(stream: string, signal?: AbortSignal): Promise<Map<number, number>>;
  /** Saves snapshots with one insert. @throws RowsRejectedError */
  saveAll(snapshots: readonly EntitySnapshot[]): Promise<void>;
}

/** Limit in bytes on the states of one page of snapshots; a page with a single snapshot may exceed it. */
export const snapshotPageBytes = 16 * 1024 * 1024;
