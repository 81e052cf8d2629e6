import { describe, expect, it } from 'vitest';
import { StoreUnavailableError, type StoreUsage } from '#store';
import { metricsText } from '#telemetry';
import { StoreUsageMetrics } from './store-usage-metrics.js';

const usage: StoreUsage = {
  disks: [{ disk: 'default', freeBytes: 10, sizeBytes: 40 }],
  tables: [{ table: 'events', rows: 3, bytes: 300, parts: 2, detachedParts: 1 }],
  damageErrors: [{ error: 'CHECKSUM_DOESNT_MATCH', count: 5 }],
};
const shown = async () =>
  (await metricsText()).split('\n').filter((line) => line.startsWith('tributary_store_'));

describe('The metrics of disk and table sizes', () => {
  it('have the values that the store reports, and are absent while it does not report them', async () => {
    const warnings: unknown[] = [];
    let answer = () => Promise.resolve(usage);
    const watch = new StoreUsageMetrics(
      { usage: () => answer() },
      { warn: (...args: unknown[]) => void warnings.push(args) },
    );
    await watch.poll();
    expect(await shown()).toEqual([
      'tributary_store_disk_free_bytes{disk="default"} 10',
      'tributary_store_disk_size_bytes{disk="default"} 40',
      'tributary_store_table_bytes{table="events"} 300',
      'tributary_store_table_rows{table="events"} 3',
      'tributary_store_table_parts{table="events"} 2',
      'tributary_store_detached_parts{table="events"} 1',
      'tributary_store_damage_errors{error="CHECKSUM_DOESNT_MATCH"} 5',
    ]);
    answer = () => Promise.reject(new StoreUnavailableError('down'));
    await watch.poll();
    await watch.poll();
    expect(await shown()).toEqual([]);
    expect(warnings).toHaveLength(1);
  });
});
