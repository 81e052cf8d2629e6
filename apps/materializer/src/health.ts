import type { Lag, Progress } from '#consuming';
import { definitionsHealth, type Definitions } from '#definitions';
import type { Health } from '#http';
import type { Log } from '#log';
import type { Store } from '#store';
import type { Materializer } from './materializer.js';

/** The consumer has lag and does not move. The process should be restarted. */
export class HangingError extends Error {
  override readonly name = 'HangingError';
}

/** Something is not stored, and is tried again and again. It may be one table only: the store answers all the same. */
export class HeldUpError extends Error {
  override readonly name = 'HeldUpError';
}

/** What `/health`, `/health/live` and `/health/ready` say about this process. */
export function registerChecks(
  health: Health,
  parts: {
    log: Log;
    store: Store;
    definitions: Definitions;
    lag: { readonly total: Lag };
    progress: Progress;
    materializer: Pick<Materializer, 'complaint' | 'joined'>;
  },
): void {
  const { log, store, definitions, lag, progress, materializer } = parts;
  health.register('log', () => log.admin.ping());
  health.register('store', () => store.ping());
  health.register('definitions', async () => definitionsHealth(definitions));
  health.register('storing', async () => {
    if (materializer.complaint !== undefined) throw new HeldUpError(materializer.complaint);
  });
  health.register(
    'materializer',
    async () => ({ joined: materializer.joined, ...consumerHealth(lag, progress) }),
    {
      liveness: true,
    },
  );
}

function consumerHealth(lag: { readonly total: Lag }, progress: Progress): Record<string, unknown> {
  const { events, seconds } = lag.total;
  const idle = Math.round(progress.secondsSinceMove);
  if (progress.hangs(events)) throw new HangingError(`nothing moved for ${idle} s, ${events} events behind`);
  return { lag_events: events, lag_seconds: Math.round(seconds * 1000) / 1000, seconds_since_progress: idle };
}
