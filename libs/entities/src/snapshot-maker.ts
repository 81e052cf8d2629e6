import type { Micros } from '#event';
import type { EntitySnapshot, Permitted, SnapshotReason, SnapshotStore } from '#store';
import { entityState } from './entity-state.js';

export interface SnapshotRequest extends Permitted {
  stream: string;
  entityId: string;
  reason: SnapshotReason;
  now: Micros;
  /** The version to keep, where it is stored; the last one that is stored when it is left out. */
  version?: number;
}

export interface MadeSnapshot {
  snapshot: EntitySnapshot;
  /** Whether it is a new one: there is one snapshot of a version. */
  created: boolean;
}

/** Why there is no snapshot. */
export type NoSnapshot = 'no_events' | 'removed_meanwhile';

/**
 * Makes a snapshot of an entity as it is stored now, starting from its last one. After it is kept, it is looked up once
 * more: where events were erased while it was being made, or were past their retention, it does not stay.
 * @throws EntityStateTooLargeError @throws QueryTooExpensiveError @throws StoreUnavailableError
 */
export async function makeSnapshot(
  store: SnapshotStore,
  { reason, now, version, ...entity }: SnapshotRequest,
  signal?: AbortSignal,
): Promise<MadeSnapshot | NoSnapshot> {
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
