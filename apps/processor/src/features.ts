import type { Feature } from '#app';
import { entities } from '#features/entities/processor';
import { pipelines } from '#features/pipelines/processor';
import { projections } from '#features/projections/processor';

/** The features of the processor. */
export const features: readonly Feature[] = [projections, pipelines, entities];
