import type { PipelineDefinition } from '#registry';

export const pipelineStatuses = ['running', 'paused', 'failed'] as const;
/** Status of a pipeline in the API: running, paused or failed. */
export type PipelineStatus = (typeof pipelineStatuses)[number];

/** Returns `paused` or `failed`, the first that applies; otherwise `running`. */
export function pipelineStatus({ paused, failure }: PipelineDefinition): PipelineStatus {
  if (paused) return 'paused';
  return failure === null ? 'running' : 'failed';
}
