import { definitionsAge, definitionsHealth, type CheckedDefinitions, type Definitions } from '#registry';
import type { Health } from '#http';
import type { Log } from '#log';
import type { Store } from '#store';
import type { Lag, MaterializerLag } from './materializer-lag.js';
import type { ProcessorLag } from './processor-lag.js';

export interface CheckedParts {
  log: Pick<Log, 'admin'>;
  store: Pick<Store, 'ping'>;
  definitions: CheckedDefinitions & Pick<Definitions, 'ageMs'>;
  lag: MaterializerLag;
  processor: ProcessorLag;
}

/** Seconds that the store, or a projection, may be behind the log before `/health` says so with 503. */
const mostLagSeconds = 60;

/** The materializer or the processor is down, or slower than what is written. */
export class FallingBehindError extends Error {
  override readonly name = 'FallingBehindError';
}

/**
 * What the gateway depends on. It is ready while it can serve reads or writes: with ClickHouse down it still takes
 * events, with Kafka down it still answers queries. Every instance loses a shared engine at the same moment; turning
 * all of them away from the load balancer would make an outage of one half an outage of the whole.
 */
export function registerChecks(
  health: Health,
  { log, store, definitions, lag, processor }: CheckedParts,
): void {
  health.register('log', () => log.admin.ping(), { readiness: false });
  health.register('store', () => store.ping(), { readiness: false });
  health.register('log_or_store', async () => {
    await Promise.any([log.admin.ping(), store.ping()]);
  });
  health.register('definitions', async () => definitionsHealth(definitions));
  // Without Kafka they grow old while queries go on: no reason to turn these away.
  health.register('definitions_age', async () => definitionsAge(definitions), { readiness: false });
  health.register('materializer', async () => behind(await lag.recent(), 'queries'), { readiness: false });
  const projections = async () => behind(await processor.measure(performance.now()), 'projections');
  health.register('processor', projections, { readiness: false });
}

/** The lag as it is shown. @throws FallingBehindError */
export function behind(lag: Lag, what: string): Record<string, unknown> {
  if (lag.lag_seconds <= mostLagSeconds) return { ...lag };
  throw new FallingBehindError(
    `${what} are ${lag.lag_seconds} s (${lag.lag_events} events) behind what was written`,
  );
}
