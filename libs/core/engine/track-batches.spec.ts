import { MemoryLog } from '#kafka/memory';
import { RecentWorkTracker } from '#telemetry';
import { expect, it, vi } from 'vitest';
import { trackBatches } from './track-batches.js';

it('given a consumer that works on a batch, then the batch is active work until the handler has finished', async () => {
  const works = new RecentWorkTracker();
  const memory = new MemoryLog();
  const log = trackBatches(memory, works);
  await log.admin.create('orders', { partitions: 1 });
  let release = (): void => undefined;
  const consumer = log.consumer({
    group: 'g',
    onCrash: (error) => expect.unreachable(String(error)),
    handler: {
      assigned: async ({ position }) => position,
      batch: () => new Promise<void>((resolve) => (release = resolve)),
      revoked: () => undefined,
    },
  });
  await consumer.subscribe(['orders']);
  const producer = await log.producer();
  await producer.append([{ topic: 'orders', key: 'k', value: '{}' }]);
  await vi.waitFor(() =>
    expect(works.latest(5)).toEqual([{ group: 'g', topic: 'orders', partition: 0, offset: 0, records: 1 }]),
  );
  release();
  await vi.waitFor(() => {
    works.look();
    expect(works.size).toBe(0);
  });
  await consumer.close();
  await log.close();
});
