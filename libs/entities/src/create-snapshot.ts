import type { EpochMicros } from '#event';
import type { EntitySnapshot, AuthorizationScope, SnapshotReason, SnapshotStore } from '#store';
import { entityState } from './entity-state.js';

/** A request to save a snapshot of one entity. */
export interface SnapshotRequest extends AuthorizationScope {
  stream: string;
  entityId: string;
  reason: SnapshotReason;
  now: EpochMicros;
  /** The version to save, if it is stored; default: the latest stored version. */
  version?: number;
}

/** A saved or already existing snapshot. */
export interface SnapshotResult {
  snapshot: EntitySnapshot;
  /** True if the snapshot is new; false if one of the same version already existed. */
  created: boolean;
}

/**
 * The reason why no snapshot exists afterwards: the entity has no events, or they were removed in the
 * meantime.
 */
export type NoSnapshotReason = 'no_events' | 'removed_meanwhile';

/**
 * Saves a snapshot of an entity's stored state, computed from its previous snapshot. After the save, it looks
 * the snapshot up: if its events were erased or expired in the meantime, the snapshot is removed again.
 * @throws EntityStateTooLargeError @throws QueryTooExpensiveError @throws StoreUnavailableError
 */
export async function createSnapshot(
  store: SnapshotStore,
  { reason, now, version, ...entity }: SnapshotRequest,
  signal?: AbortSignal,
): Promise<SnapshotResult | NoSnapshotReason> {
  const folded = await entityState(store, { ...entity, upTo: version }, signal);
  if (!folded) return 'no_events';
  const { from, ...content } = folded;
  if (from?.version === folded.version) return { snapshot: from, created: false };
  const { stream, entityId } = entity;
  const snapshot = { stream, entity_id: entityId, ...content, created_at: now, reason };
  await store.save(snapshot);
  const kept = await store.nearest({ ...entity, upTo: snapshot.version }, signal);
  if (kept?.version === snapshot.version) return { snapshot, created: true };
  await store.removeStale({ stream, entityId });
  return 'removed_meanwhile';
}
