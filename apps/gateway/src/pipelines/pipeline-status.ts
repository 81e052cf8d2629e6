import type { PipelineDefinition } from '#registry';

export const pipelineStatuses = ['running', 'paused', 'failed'] as const;
export type PipelineStatus = (typeof pipelineStatuses)[number];

/** The first of these that is true: paused, failed; else it runs. */
export function pipelineStatus({ paused, failure }: PipelineDefinition): PipelineStatus {
  if (paused) return 'paused';
  return failure === null ? 'running' : 'failed';
}
