import type { Feature } from '#app';
import { pipelineDefinitions } from '#features/pipelines/definition';
import { WebhookSecretSettings, WebhookSettings } from '#features/webhooks';
import { PipelinesModule } from './pipelines.module.js';

/** Pipelines in the processor: a task for each job. */
export const pipelines: Feature = {
  ...pipelineDefinitions,
  settings: [WebhookSettings, WebhookSecretSettings],
  processor: PipelinesModule,
};
