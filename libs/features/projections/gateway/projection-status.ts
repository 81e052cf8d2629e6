import type { ProjectionDefinition } from '#registry';

export const projectionStatuses = ['building', 'running', 'paused', 'failed'] as const;
/** Status of a projection in the API: building, running, paused or failed. */
export type ProjectionStatus = (typeof projectionStatuses)[number];

/**
 * Returns `failed`, `paused` or `running`, the first that applies: a pause does not hide a failure. Otherwise `building`,
 * for a first generation.
 */
export function projectionStatus({ paused, failure, serving }: ProjectionDefinition): ProjectionStatus {
  if (failure !== null) return 'failed';
  if (paused) return 'paused';
  return serving ? 'running' : 'building';
}
