import type { Feature } from '#app';
import { EntitiesModule } from './entities.module.js';

/** Entities, their state and their snapshots. */
export const entities: Feature = { name: 'entities', gateway: EntitiesModule };

export { EntityId } from './entity-parameters.js';
export { ENTITY_SNAPSHOTS, entitySnapshotsByStreamName } from './entity-snapshots-by-stream-name.js';
