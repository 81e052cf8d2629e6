import { expect, it } from 'vitest';
import { metricsText } from '#telemetry';
import { exportIdWindows, type PartitionWithIdWindow } from './id-window-metrics.js';

const shown = async () =>
  (await metricsText()).split('\n').filter((line) => line.startsWith('tributary_id_window_seconds'));

it('exports the shortest id window of each stream, and removes streams that are no longer read', async () => {
  const of = (name: string, ms: number, far = 0): PartitionWithIdWindow => ({
    ...{ name, window: { lengthAt: () => ms }, history: { lengthAt: () => far } },
  });
  let partitions = [of('orders', 3_600_000), of('orders', 10_000, 12_500), of('quiet', 3_600_000, 600_000)];
  exportIdWindows(partitions, 0);
  expect(await shown()).toEqual([
    'tributary_id_window_seconds{stream="orders"} 12.5',
    'tributary_id_window_seconds{stream="quiet"} 3600',
  ]);
  partitions = [of('quiet', 7000)];
  exportIdWindows(partitions, 0);
  expect(await shown()).toEqual(['tributary_id_window_seconds{stream="quiet"} 7']);
});
