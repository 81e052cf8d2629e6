import type { Store, StoreUsage } from '#store';
import { gauge, type Logger } from '#telemetry';

const storeDiskFree = gauge('tributary_store_disk_free_bytes', {
  help: 'Free bytes on each disk of ClickHouse. The materializer measures them every 15 seconds.',
  labelNames: ['disk'],
});

const storeDiskSize = gauge('tributary_store_disk_size_bytes', {
  help: 'Size of each disk of ClickHouse in bytes.',
  labelNames: ['disk'],
});

const storeTableBytes = gauge('tributary_store_table_bytes', {
  help: 'Bytes on disk of the active parts of each table.',
  labelNames: ['table'],
});

const storeTableRows = gauge('tributary_store_table_rows', {
  help: 'Rows of the active parts of each table; replaced and deleted rows count until the next merge.',
  labelNames: ['table'],
});

const storeTableParts = gauge('tributary_store_table_parts', {
  help: 'Active parts of each table. ClickHouse slows inserts down above 1000 in one partition, and rejects them above 3000.',
  labelNames: ['table'],
});

const storeDetachedParts = gauge('tributary_store_detached_parts', {
  help: 'Parts of each table that queries do not read: ClickHouse found them damaged when it started, or somebody detached them.',
  labelNames: ['table'],
});

const storeDamageErrors = gauge('tributary_store_damage_errors', {
  help: 'How often ClickHouse has found files of a part damaged or missing since it started, by the name of its error.',
  labelNames: ['error'],
});

const gauges = [
  ...[storeDiskFree, storeDiskSize, storeTableBytes, storeTableRows, storeTableParts],
  ...[storeDetachedParts, storeDamageErrors],
];

/**
 * Exports the disk and table sizes of ClickHouse as metrics. While ClickHouse does not report the sizes, the metrics
 * are absent, because an old value would look healthy. Every materializer polls the same sizes: the query is cheap, and
 * any materializer may be down.
 */
export class StoreUsageMetrics {
  private timer: NodeJS.Timeout | undefined;
  private failing = false;

  constructor(
    private readonly store: Pick<Store, 'usage'>,
    private readonly logger: Pick<Logger, 'warn'>,
  ) {}

  /** Polls now, and again at each interval. */
  start(intervalMs: number): void {
    void this.poll();
    this.timer = setInterval(() => void this.poll(), intervalMs).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** Polls the sizes in ClickHouse once. Never rejects. */
  async poll(): Promise<void> {
    try {
      const usage = await this.store.usage();
      forgetUsage();
      showUsage(usage);
      this.failing = false;
    } catch (error) {
      forgetUsage();
      // A warning is logged only at the first failure: without the right to read system.disks and system.parts, every
      // poll fails.
      if (!this.failing)
        this.logger.warn({ err: error }, 'cannot read the disk and table sizes of ClickHouse');
      this.failing = true;
    }
  }
}

function forgetUsage(): void {
  for (const gauge of gauges) gauge.reset();
}

function showUsage({ disks, tables, damageErrors }: StoreUsage): void {
  for (const { disk, freeBytes, sizeBytes } of disks) {
    storeDiskFree.set({ disk }, freeBytes);
    storeDiskSize.set({ disk }, sizeBytes);
  }
  for (const { table, rows, bytes, parts, detachedParts } of tables) {
    storeTableBytes.set({ table }, bytes);
    storeTableRows.set({ table }, rows);
    storeTableParts.set({ table }, parts);
    storeDetachedParts.set({ table }, detachedParts);
  }
  for (const { error, count } of damageErrors) storeDamageErrors.set({ error }, count);
}
