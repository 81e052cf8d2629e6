import type { ProjectionDefinition } from '#registry';

export const projectionStatuses = ['building', 'running', 'paused', 'failed'] as const;
/** Status of a projection in the API: building, running, paused or failed. */
export type ProjectionStatus = (typeof projectionStatuses)[number];

/** Returns `paused`, `failed` or `running`, the first that applies; otherwise `building`, for a first generation. */
export function projectionStatus({ paused, failure, serving }: ProjectionDefinition): ProjectionStatus {
  if (paused) return 'paused';
  if (failure !== null) return 'failed';
  return serving ? 'running' : 'building';
}
