export { compilePipeline } from './compile-pipeline.js';
export { derivedId } from './derived-id.js';
export { readable, sourceFlow } from './flow-event.js';
export type * from './flow.js';
export { pipelineLimits } from './limits.js';
export type * from './pipeline-spec.js';
