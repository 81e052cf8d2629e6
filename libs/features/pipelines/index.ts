import type { Feature } from '#app';
import { pipelineDefinitions } from '#features/pipelines/definition';
import { WebhookSettings } from '#features/webhooks';
import { PipelinesModule } from './pipelines.module.js';

/** Pipelines: their definitions, dry runs and statistics. */
export const pipelines: Feature = {
  ...pipelineDefinitions,
  settings: [WebhookSettings],
  gateway: PipelinesModule,
};

export { compiledDefinition } from './gateway/compiled-definition.js';
export { PipelineLagReader } from './gateway/pipeline-lag-reader.js';
export { PipelineServicesModule } from './pipelines.module.js';
export { pipelineTotals } from './gateway/pipeline-stats-reader.js';
export { VisiblePipelines } from './gateway/visible-pipelines.js';
