export * from './create-snapshots.js';
export { type EntityStateAtVersion } from './time-sliced-entity-fold.js';
export * from './entity-state.js';
export { EntityStateAccumulator, type FoldedEntityState } from './entity-state-accumulator.js';
export * from './time-sliced-entity-fold.js';
export * from './create-snapshot.js';
export * from '../snapshots/clickhouse-entity-snapshot-store.js';
export * from '../snapshots/entity-snapshot.js';
