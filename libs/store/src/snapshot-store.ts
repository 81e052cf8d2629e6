import type { EpochMicros } from '#event';
import type { EntityQuery, Page, AuthorizationScope } from './query-types.js';

/**
 * Identifies an event within its stream. The times are needed because a recreated topic reuses offsets from
 * 0.
 */
export interface EventKey {
  partition: number;
  offset: number;
  timestamp: EpochMicros;
  ingested_at: EpochMicros;
}

/** One event of an entity: the fields that its state is computed from. */
export interface HistoryEvent extends EventKey {
  version: number;
  /** JSON text of an object. */
  data: string;
}

/** Why a snapshot was created: by the processor itself, or by a request. */
export type SnapshotReason = 'automatic' | 'requested';

/** The state of an entity after its event of one version. */
export interface EntitySnapshot {
  stream: string;
  entity_id: string;
  version: number;
  /** The first event that the snapshot includes. */
  first: EventKey;
  /** The event of the snapshot's version. */
  last: EventKey;
  /** The greatest timestamp of the events that the snapshot includes. */
  latest_timestamp: EpochMicros;
  created_at: EpochMicros;
  reason: SnapshotReason;
  /** JSON text of an object. */
  state: string;
}

/** A query for the stored events of one entity, optionally up to a time. */
export interface EntityTimeQuery extends EntityQuery {
  /** Only events with a timestamp up to this one, inclusive; undefined means all events. */
  asOf?: EpochMicros;
}

/** The least and the greatest version among the stored events of an entity. */
export interface VersionRange {
  first: number;
  last: number;
}

/** A query for the events of one entity in a range of versions. */
export interface HistoryQuery extends EntityTimeQuery {
  /** Only events with a version greater than this one. */
  after: number;
  /** Only events with a version up to this one, inclusive; at most `maxHistory` above `after`. */
  upTo: number;
}

/** Maximum number of versions in one history query. */
export const maxHistoryVersions = 16_384;

/** A query for the snapshot of one entity with the greatest version up to a given one. */
export interface NearestSnapshotQuery extends EntityTimeQuery {
  /** Only snapshots of this version or a lower one. */
  upTo: number;
}

/** A query for one page of snapshots, newest first. */
export interface SnapshotsQuery extends AuthorizationScope {
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
export interface SnapshotReader {
  /**
   * Returns the least and the greatest version of an entity's stored events; undefined if no event matches.
   */
  versionRange(query: EntityTimeQuery, signal?: AbortSignal): Promise<VersionRange | undefined>;
  /**
   * Ordered by version, each version once. If several events have the same version (a removal is in
   * progress), the newest event is returned.
   */
  history(query: HistoryQuery, signal?: AbortSignal): Promise<HistoryEvent[]>;
  /**
   * Returns the snapshot with the greatest version among those whose events all have a timestamp up to
   * `asOf`.
   */
  nearest(query: NearestSnapshotQuery, signal?: AbortSignal): Promise<EntitySnapshot | undefined>;
  /**
   * Returns snapshots, newest first. A page may end before its limit when its states are large. `total`
   * counts all stored snapshots that match, including snapshots that are not current.
   * @throws InvalidCursorError
   */
  snapshots(query: SnapshotsQuery, signal?: AbortSignal): Promise<Page<EntitySnapshot> & { total: number }>;
}

/** All writes are idempotent. @throws StoreUnavailableError @throws RowsRejectedError */
export interface SnapshotWriter {
  /** Saves a snapshot; it replaces the snapshot of the same version and last event. */
  save(snapshot: EntitySnapshot): Promise<void>;
  /**
   * Removes the entity's snapshots that are no longer current, for example because they were saved after
   * their events were removed.
   */
  removeStale(entity: { stream: string; entityId: string }): Promise<void>;
}

/** Reads and writes snapshots of entities. */
export interface SnapshotStore extends SnapshotReader, SnapshotWriter {}

/** Limit in bytes on the states of one page of snapshots; a page with a single snapshot may exceed it. */
export const snapshotPageBytes = 16 * 1024 * 1024;
