import type { Feature } from '#app';
import { projectionKind } from './projection-kind.js';

/** Definitions of projections, which every app reads. */
export const projectionDefinitions: Feature = { name: 'projections', kinds: [projectionKind] };

export {
  ProjectionGeneration,
  ProjectionSpec,
  ProjectionDefinition,
  latestGeneration,
  projectionLimits,
} from './projection-definition.js';
export { foldOf } from './fold-of.js';
export { projectionKind } from './projection-kind.js';
export { projectionStreams } from './projection-streams.js';
