import type { EpochMicros } from '#json';
import type { AuthorizationScope } from '#store';
import { createHash } from 'node:crypto';
import type { EntitySnapshotStore } from '../snapshots/clickhouse-entity-snapshot-store.js';
import type { EntitySnapshot, EntitySnapshotReason } from '../snapshots/entity-snapshot.js';
import { entityState } from './entity-state.js';

/** Arguments of `createSnapshot`: the entity, the reason, the current time, and optionally the version to save. */
interface SnapshotRequest extends AuthorizationScope {
  stream: string;
  entityId: string;
  reason: EntitySnapshotReason;
  now: EpochMicros;
  /** The highest version that the snapshot may include; default: the latest stored version. */
  version?: number;
}

/** The snapshot that a call has saved (`created`), or found, because one of the same version already existed. */
interface SnapshotResult {
  snapshot: EntitySnapshot;
  created: boolean;
}

/**
 * Saves a snapshot of an entity's state, computed from the previous snapshot and the events after that snapshot. After
 * saving, looks up the events of the snapshot, and removes the snapshot if its events were erased or expired in the
 * meantime (`removed_meanwhile`).
 * @throws EntityStateTooLargeError @throws QueryTooExpensiveError @throws StoreUnavailableError
 */
export async function createSnapshot(
  store: EntitySnapshotStore,
  { reason, now, version, ...entity }: SnapshotRequest,
  signal?: AbortSignal,
): Promise<SnapshotResult | 'no_events' | 'removed_meanwhile'> {
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

/**
 * Returns the id of an entity's snapshot: 32 hexadecimal digits of a hash of the stream, the entity, the version and
 * the position of its last event. Saving the same version again gives the same id; the same version after an erasure
 * has another id.
 */
export function snapshotId({ stream, entity_id, version, last }: EntitySnapshot): string {
  const { partition, offset, ingested_at } = last;
  const identity = JSON.stringify([stream, entity_id, version, partition, offset, ingested_at]);
  return createHash('sha256').update(identity).digest('hex').slice(0, 32);
}
