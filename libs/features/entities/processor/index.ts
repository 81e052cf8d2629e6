import type { Feature } from '#app';
import { SnapshotsModule } from './snapshots.module.js';

/** Entities in the processor: automatic snapshots. */
export const entities: Feature = { name: 'entities', processor: SnapshotsModule };
