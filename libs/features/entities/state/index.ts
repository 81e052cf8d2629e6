export * from './create-snapshots.js';
export { type EntityStateAtVersion } from './time-sliced-entity-fold.js';
export * from './entity-state.js';
export { EntityStateAccumulator, type FoldedEntityState } from './entity-state-accumulator.js';
export * from './time-sliced-entity-fold.js';
export * from './create-snapshot.js';
export { snapshotId } from './create-snapshot.js';
