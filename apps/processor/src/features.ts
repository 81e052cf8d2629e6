import type { Feature } from '#app';
import { PipelinesModule } from './pipelines/pipelines.module.js';
import { ProjectionsModule } from './projections/projections.module.js';
import { SnapshotsModule } from './snapshots/snapshots.module.js';

/** The features of the processor. */
export const features: readonly Feature[] = [
  { name: 'projections', processor: ProjectionsModule },
  { name: 'pipelines', processor: PipelinesModule },
  { name: 'snapshots', processor: SnapshotsModule },
];
