import type { Feature } from '#app';
import { ProjectionsModule } from './projections.module.js';

/** Projections in the processor: a task for each generation. */
export const projections: Feature = { name: 'projections', processor: ProjectionsModule };

export { decodeLogRecord } from './decoded-record.js';
export { ProjectionsProcessor, type ProjectionsProcessorOptions } from './projections-processor.js';
