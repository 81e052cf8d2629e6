import type { Definitions, ApiKeyDefinition } from '#registry';
import { gauge } from '#telemetry';
import { projectionStatus } from '#features/projections';
import { runningStatus } from '#gateway-kit';

const keyExpiry = gauge('tributary_key_earliest_expiry_timestamp_seconds', {
  help: 'Earliest expiry of the valid issued API keys, in seconds since 1970; no value if no key expires.',
});

const projectionState = gauge('tributary_projection_state', {
  help: 'Always 1; the labels are a projection and its state in its definition: building, running, paused, failed.',
  labelNames: ['projection', 'state'],
});

const pipelineState = gauge('tributary_pipeline_state', {
  help: 'Always 1; the labels are a pipeline and its state in its definition: running, paused, failed.',
  labelNames: ['pipeline', 'state'],
});

/**
 * Publishes metrics of definitions that may need attention: the next expiry of a key, and the state of each projection
 * and pipeline.
 */
export function publishDefinitionMetrics(
  definitions: Pick<Definitions, 'keys' | 'projections' | 'pipelines'>,
): void {
  const { keys, projections, pipelines } = definitions;
  const expiry = earliestExpiry(keys.all(), Date.now());
  if (expiry === undefined) keyExpiry.remove({});
  else keyExpiry.set(expiry / 1000);
  projectionState.reset();
  for (const one of projections.all())
    projectionState.set({ projection: one.name, state: projectionStatus(one) }, 1);
  pipelineState.reset();
  for (const one of pipelines.all()) pipelineState.set({ pipeline: one.name, state: runningStatus(one) }, 1);
}

/**
 * Returns when the next of the keys that are valid at `now` expires, in milliseconds since 1970; undefined when none
 * expires.
 */
export function earliestExpiry(
  keys: readonly Pick<ApiKeyDefinition, 'expires_at' | 'revoked_at'>[],
  now: number,
): number | undefined {
  const expiries = keys
    .filter(({ revoked_at }) => revoked_at === undefined)
    .map(({ expires_at }) => Date.parse(expires_at ?? ''))
    .filter((expiry) => expiry > now);
  return expiries.length === 0 ? undefined : expiries.reduce((one, other) => Math.min(one, other));
}
