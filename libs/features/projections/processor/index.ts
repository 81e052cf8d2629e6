import type { Feature } from '#app';
import { projectionDefinitions } from '#features/projections/definition';
import { ProjectionsModule } from './projections.module.js';

/** Projections in the processor: a task for each generation. */
export const projections: Feature = { ...projectionDefinitions, processor: ProjectionsModule };

export { ProjectionsProcessor, type ProjectionsProcessorOptions } from './projections-processor.js';
