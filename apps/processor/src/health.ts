import { consumerHealth, blockedWriteHealth, type Lag, type StalledConsumerDetector } from '#engine';
import { definitionsHealth, type Definitions } from '#registry';
import type { Health } from '#http';
import type { Log } from '#kafka';
import type { Store } from '#store';

/** Registers the health checks of the processor, which answer `/health`, `/health/live` and `/health/ready`. */
export function registerChecks(
  health: Health,
  parts: {
    log: Log;
    store: Store;
    definitions: Definitions;
    lag: { readonly total: Lag };
    progress: StalledConsumerDetector;
    processor: { readonly complaint: string | undefined };
  },
): void {
  const { log, store, definitions, lag, progress, processor } = parts;
  health.register('log', () => log.admin.ping());
  health.register('store', () => store.ping());
  health.register('definitions', async () => definitionsHealth(definitions));
  health.register('saving', () => blockedWriteHealth(processor));
  health.register('processor', async () => consumerHealth(lag, progress), { liveness: true });
}
