import type { Feature } from '#app';
import { entities } from '#features/entities/processor';
import { pipelines } from '#features/pipelines/processor';
import { projections } from '#features/projections/processor';
import { subscriptionDefinitions } from '#features/subscriptions/definition';

/** The features of the processor. */
export const features: readonly Feature[] = [projections, pipelines, subscriptionDefinitions, entities];
