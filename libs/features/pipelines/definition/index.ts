import type { Feature } from '#app';
import { pipelineKind } from './pipeline-kind.js';

/** Definitions of pipelines, which every app reads. */
export const pipelineDefinitions: Feature = { name: 'pipelines', kinds: [pipelineKind] };

export { PipelineDefinition } from './pipeline-definition.js';
export { pipelineKind } from './pipeline-kind.js';
export { pipelineWrites, type LoopCandidate, pipelineLoop, type LoopStep } from './pipeline-loop.js';
export { pipelineStreams } from './pipeline-streams.js';
