import type { Feature } from '#app';
import { cloudevents } from '#features/cloudevents';
import { pipelineDefinitions } from '#features/pipelines/definition';
import { projectionDefinitions } from '#features/projections/definition';
import { otlp } from '#features/otlp';
import { raw } from '#features/raw';
import { schemaEnforcement } from '#features/schemas/enforcement';
import { subscriptionDefinitions } from '#features/subscriptions/definition';

/** The features of ingest. */
export const features: readonly Feature[] = [
  raw,
  cloudevents,
  otlp,
  schemaEnforcement,
  projectionDefinitions,
  pipelineDefinitions,
  subscriptionDefinitions,
];
