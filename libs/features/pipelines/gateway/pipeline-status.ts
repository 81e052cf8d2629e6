import type { PipelineDefinition } from '#registry';

export const pipelineStatuses = ['running', 'paused', 'failed'] as const;
/** Status of a pipeline in the API: running, paused or failed. */
export type PipelineStatus = (typeof pipelineStatuses)[number];

/** Returns `failed` or `paused`, the first that applies: a pause does not hide a failure. Otherwise `running`. */
export function pipelineStatus({ paused, failure }: PipelineDefinition): PipelineStatus {
  if (failure !== null) return 'failed';
  return paused ? 'paused' : 'running';
}
