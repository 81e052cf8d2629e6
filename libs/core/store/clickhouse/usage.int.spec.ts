import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { rowBatchesOf } from '../row-batch/row-batches-of.fixture.js';
import { eventRow, newStream } from '../contract/rows.js';
import { openTestStore } from './test-store.js';

it('storeUsage reports the free space of each disk and the size of each table', async () => {
  const given = await openTestStore();
  const { store } = given;
  await store.writer.appendRowBatches(
    rowBatchesOf([eventRow({ stream: newStream(), offset: 0 })]),
    randomUUID(),
  );
  const { disks, tables } = await store.usage();
  expect(disks.length).toBeGreaterThan(0);
  for (const { freeBytes, sizeBytes } of disks) {
    expect(freeBytes).toBeGreaterThan(0);
    expect(sizeBytes).toBeGreaterThanOrEqual(freeBytes);
  }
  expect(tables.find(({ table }) => table === 'events')).toMatchObject({ rows: 1, parts: 1 });
  await given.close();
});
