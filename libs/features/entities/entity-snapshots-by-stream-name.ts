import { idsOfStreams } from '#gateway-kit';
import type { Definitions } from '#registry';
import type { EntitySnapshotStore } from '#features/entities/state';

/** Injection token of the `EntitySnapshotStore` of requests, whose queries name streams. */
export const ENTITY_SNAPSHOTS = Symbol('Snapshots of entities');

/** Returns a snapshot store whose queries name streams: each name is replaced by the id that the store knows. */
export function entitySnapshotsByStreamName(
  snapshots: EntitySnapshotStore,
  names: Pick<Definitions, 'stream'>,
): EntitySnapshotStore {
  const { one, scope } = idsOfStreams(names);
  return {
    versionRange: (query, signal) => snapshots.versionRange(one(scope(query)), signal),
    history: (query, signal) => snapshots.history(one(scope(query)), signal),
    nearest: (query, signal) => snapshots.nearest(one(scope(query)), signal),
    snapshots: (query, signal) => snapshots.snapshots(one(scope(query)), signal),
    save: (snapshot) => snapshots.save(one(snapshot)),
    removeStale: (entity) => snapshots.removeStale(one(entity)),
  };
}
