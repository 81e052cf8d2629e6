import { definitionsAge, definitionsHealth, type DefinitionsHealthInput, type Definitions } from '#registry';
import type { Health } from '#http';
import type { Log } from '#kafka';
import type { Store } from '#store';
import type { ConsumerLag, MaterializerLagReader } from './materializer-lag-reader.js';
import { failedJobs, type HealthHistory } from './health-history.js';
import type { ProcessorLagReader } from './processor-lag-reader.js';

/** What the gateway's health checks examine. */
interface HealthCheckDependencies {
  log: Pick<Log, 'admin'>;
  store: Pick<Store, 'ping'>;
  definitions: DefinitionsHealthInput & Pick<Definitions, 'ageMs'>;
  lag: MaterializerLagReader;
  processor: ProcessorLagReader;
  /** Gets every measurement. */
  history: HealthHistory;
}

/** Seconds that queries or projections may be behind the log before `/health` answers 503. */
const mostLagSeconds = 60;

/** The materializer or the processors are too far behind the log: they are down, or slower than the writers. */
class FallingBehindError extends Error {
  override readonly name = 'FallingBehindError';
}

/**
 * Registers the health checks of the gateway's dependencies. The gateway is ready while it can serve reads or writes:
 * without ClickHouse it still accepts events, and without Kafka it still answers queries. All instances lose a shared
 * engine at the same moment. If they then all left the load balancer, an outage of one half would become a complete
 * outage.
 */
export function registerChecks(
  health: Health,
  { log, store, definitions, lag, processor, history }: HealthCheckDependencies,
): void {
  health.register('log', () => log.admin.ping(), { readiness: false });
  health.register('store', () => store.ping(), { readiness: false });
  health.register('log_or_store', async () => {
    await Promise.any([log.admin.ping(), store.ping()]);
  });
  health.register('definitions', async () => definitionsHealth(definitions));
  // Without Kafka, this process no longer learns of changed definitions, but queries still work. So this check does not
  // affect readiness.
  health.register('definitions_age', async () => definitionsAge(definitions), { readiness: false });
  const queries = async () => {
    const materializer = await lag.recent();
    history.add({ materializer, failed_jobs: failedJobs(definitions) });
    return lagWithinLimit(materializer, 'queries');
  };
  const projections = async () => {
    const measured = await processor.measure();
    history.add({ processor: measured });
    return lagWithinLimit(measured, 'projections');
  };
  health.register('materializer', queries, { readiness: false });
  health.register('processor', projections, { readiness: false });
}

/** Returns the lag as details for `/health`. @throws FallingBehindError when the lag exceeds the limit */
export function lagWithinLimit(lag: ConsumerLag, what: string): Record<string, unknown> {
  if (lag.lag_seconds <= mostLagSeconds) return { ...lag };
  throw new FallingBehindError(`${what} are ${lag.lag_seconds} s (${lag.lag_events} events) behind the log`);
}
