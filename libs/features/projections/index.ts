import type { Feature } from '#app';
import { projectionDefinitions } from '#features/projections/definition';
import { DedupeSettings } from '#dataflow';
import { LiveSettings } from '#features/events';
import { ProjectionsModule } from './projections.module.js';

/** Projections: their definitions, states and changes. */
export const projections: Feature = {
  ...projectionDefinitions,
  settings: [LiveSettings, DedupeSettings],
  gateway: ProjectionsModule,
};

export { ProjectionSourceInput } from './gateway/projection-input.js';
export { ProjectionLagReader } from './gateway/projection-lag-reader.js';
export { ProjectionServicesModule } from './projections.module.js';
export { projectionStatus } from './gateway/projection-answers.js';
export { mergedKey, keyState } from './gateway/states/key-state.js';
export { VisibleProjections } from './gateway/visible-projections.js';
