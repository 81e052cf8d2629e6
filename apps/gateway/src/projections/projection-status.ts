import type { ProjectionDefinition } from '#registry';

export const projectionStatuses = ['building', 'running', 'paused', 'failed'] as const;
export type ProjectionStatus = (typeof projectionStatuses)[number];

/** The first of these that is true: paused, failed, running; else it is being built for the first time. */
export function projectionStatus({ paused, failure, serving }: ProjectionDefinition): ProjectionStatus {
  if (paused) return 'paused';
  if (failure !== null) return 'failed';
  return serving ? 'running' : 'building';
}
