import type { Store, StoreUsage } from '#store';
import { metrics, type Logger } from '#telemetry';

export interface UsageWatchOptions {
  store: Pick<Store, 'usage'>;
  logger: Pick<Logger, 'warn'>;
  /** Milliseconds between two looks. */
  intervalMs: number;
}

const diskGauges = [metrics.storeDiskFree, metrics.storeDiskSize];
const tableGauges = [metrics.storeTableBytes, metrics.storeTableRows, metrics.storeTableParts];

/**
 * Shows how much room the store has. While it cannot tell, nothing is shown: an old figure would say that all is well.
 * Every instance asks the same thing of it; that is cheap, and one of them may be down.
 */
export class UsageWatch {
  private timer: NodeJS.Timeout | undefined;
  private failing = false;

  constructor(private readonly options: UsageWatchOptions) {}

  start(): void {
    void this.look();
    this.timer = setInterval(() => void this.look(), this.options.intervalMs).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** Never rejects. */
  async look(): Promise<void> {
    try {
      const usage = await this.options.store.usage();
      forgetUsage();
      showUsage(usage);
      this.failing = false;
    } catch (error) {
      forgetUsage();
      // Once: without rights to look (system.disks, system.parts), it is the same each time.
      if (!this.failing) this.options.logger.warn({ err: error }, 'cannot tell how much room the store has');
      this.failing = true;
    }
  }
}

function forgetUsage(): void {
  for (const gauge of [...diskGauges, ...tableGauges]) gauge.reset();
}

function showUsage({ disks, tables }: StoreUsage): void {
  for (const { disk, freeBytes, sizeBytes } of disks) {
    metrics.storeDiskFree.set({ disk }, freeBytes);
    metrics.storeDiskSize.set({ disk }, sizeBytes);
  }
  for (const { table, rows, bytes, parts } of tables) {
    metrics.storeTableBytes.set({ table }, bytes);
    metrics.storeTableRows.set({ table }, rows);
    metrics.storeTableParts.set({ table }, parts);
  }
}
