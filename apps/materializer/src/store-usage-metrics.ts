import type { Store, StoreUsage } from '#store';
import { metrics, type Logger } from '#telemetry';

interface StoreUsageMetricsOptions {
  store: Pick<Store, 'usage'>;
  logger: Pick<Logger, 'warn'>;
  /** Milliseconds between two polls of the sizes in ClickHouse. */
  intervalMs: number;
}

const diskGauges = [metrics.storeDiskFree, metrics.storeDiskSize];
const tableGauges = [metrics.storeTableBytes, metrics.storeTableRows, metrics.storeTableParts];

/**
 * Exports the disk and table sizes of ClickHouse as metrics. While ClickHouse does not report the sizes, the metrics
 * are absent, because an old value would look healthy. Every materializer polls the same sizes: the query is cheap, and
 * any materializer may be down.
 */
export class StoreUsageMetrics {
  private timer: NodeJS.Timeout | undefined;
  private failing = false;

  constructor(private readonly options: StoreUsageMetricsOptions) {}

  start(): void {
    void this.look();
    this.timer = setInterval(() => void this.look(), this.options.intervalMs).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** Polls the sizes in ClickHouse once. Never rejects. */
  async look(): Promise<void> {
    try {
      const usage = await this.options.store.usage();
      forgetUsage();
      showUsage(usage);
      this.failing = false;
    } catch (error) {
      forgetUsage();
      // A warning is logged only at the first failure: without the right to read system.disks and system.parts, every
      // poll fails.
      if (!this.failing)
        this.options.logger.warn({ err: error }, 'cannot read the disk and table sizes of ClickHouse');
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
