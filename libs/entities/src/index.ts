export * from './create-snapshots.js';
export { type EntityStateAtVersion } from './entity-fold.js';
export * from './entity-state.js';
export { FoldedEntity, type FoldedEntityState } from './folded-entity.js';
export * from './errors.js';
export * from './create-snapshot.js';
export { snapshotId } from './snapshot-id.js';
