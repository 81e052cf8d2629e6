import type { Definitions, ApiKeyDefinition } from '#registry';
import { metrics } from '#telemetry';
import { pipelineStatus } from '../pipelines/pipeline-status.js';
import { projectionStatus } from '../projections/projection-status.js';

/**
 * Publishes metrics of definitions that may need attention: the next expiry of a key, and the state of each projection
 * and pipeline.
 */
export function publishDefinitionMetrics({
  keys,
  projections,
  pipelines,
}: Pick<Definitions, 'keys' | 'projections' | 'pipelines'>): void {
  const expiry = earliestExpiry(keys.all(), Date.now());
  if (expiry === undefined) metrics.keyExpiry.remove({});
  else metrics.keyExpiry.set(expiry / 1000);
  metrics.projectionState.reset();
  for (const projection of projections.all()) {
    metrics.projectionState.set({ projection: projection.name, state: projectionStatus(projection) }, 1);
  }
  metrics.pipelineState.reset();
  for (const pipeline of pipelines.all()) {
    metrics.pipelineState.set({ pipeline: pipeline.name, state: pipelineStatus(pipeline) }, 1);
  }
}

/**
 * Returns when the next of the keys that are valid at `now` expires, in milliseconds since 1970; undefined when none
 * expires.
 */
export function earliestExpiry(
  keys: readonly Pick<ApiKeyDefinition, 'expires_at' | 'revoked_at'>[],
  now: number,
): number | undefined {
  let earliest: number | undefined;
  for (const { expires_at, revoked_at } of keys) {
    if (expires_at === undefined || revoked_at !== undefined) continue;
    const expiry = Date.parse(expires_at);
    if (expiry > now && (earliest === undefined || expiry < earliest)) earliest = expiry;
  }
  return earliest;
}
