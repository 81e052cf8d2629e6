export * from './entity-state.js';
export * from './errors.js';
export * from './snapshot-maker.js';
export { snapshotId } from './snapshot-id.js';
