import type { Feature } from '#app';
import { WebhookSettings } from '#features/pipelines/webhooks';
import { PipelinesModule } from './pipelines.module.js';

/** Pipelines: their definitions, dry runs and statistics. */
export const pipelines: Feature = {
  name: 'pipelines',
  settings: [WebhookSettings],
  gateway: PipelinesModule,
};

export { compiledDefinition } from './gateway/compiled-definition.js';
export { PipelineServicesModule } from './gateway/pipeline-services.module.js';
export { pipelineStatus } from './gateway/pipeline-status.js';
export { VisiblePipelines } from './gateway/visible-pipelines.js';
