import { consumerHealth, blockedWriteHealth, type Lag, type StalledConsumerDetector } from '#engine';
import { definitionsHealth, type Definitions } from '#registry';
import type { Health } from '#http';
import type { Log } from '#kafka';
import type { Store } from '#store';
import type { Materializer } from './materializer.js';

/** Registers the health checks of the materializer, which answer `/health`, `/health/live` and `/health/ready`. */
export function registerChecks(
  health: Health,
  parts: {
    log: Log;
    store: Store;
    definitions: Definitions;
    lag: { readonly total: Lag };
    progress: StalledConsumerDetector;
    materializer: Pick<Materializer, 'complaint' | 'joined'>;
  },
): void {
  const { log, store, definitions, lag, progress, materializer } = parts;
  health.register('log', () => log.admin.ping());
  health.register('store', () => store.ping());
  health.register('definitions', async () => definitionsHealth(definitions));
  health.register('storing', () => blockedWriteHealth(materializer));
  health.register(
    'materializer',
    async () => ({ joined: materializer.joined, ...consumerHealth(lag, progress) }),
    {
      liveness: true,
    },
  );
}
