import { describe, expect, it } from 'vitest';
import { rowBatchesOf } from '../row-batch/row-batches-of.fixture.js';
import { newStream, rowsOf } from './rows.js';
import type { StoreContractFixture } from './store-contract.js';

/** Adds the specs of a store for events that are written more than once. */
export function describeRepeatedRows(contract: StoreContractFixture): void {
  describe('a row that is written again', () => {
    it('by a retry with the same token appears once', async () => {
      const stream = newStream();
      const rows = rowsOf(stream, 10);
      await contract.store.writer.appendRowBatches(rowBatchesOf(rows), `${stream}:0:0-9`);
      await contract.store.writer.appendRowBatches(rowBatchesOf(rows), `${stream}:0:0-9`);
      expect(await contract.readAll({ streams: [stream], order: 'asc', limit: 3 })).toHaveLength(10);
    });

    it('by a writer that lost its partition, in other batches, appears once in every answer', async () => {
      const stream = newStream();
      const rows = rowsOf(stream, 40, (i) => ({
        entity_id: i % 5 === 0 ? null : `e-${i % 5}`,
        version: i % 5 === 0 ? null : Math.floor(i / 5) + 1,
        event_type: `type.${i % 2}`,
      }));
      await contract.write(rows.slice(0, 20));
      await contract.write(rows.slice(20));
      await contract.write(rows.slice(5, 30));
      await contract.write(rows.slice(15));
      for (const limit of [1, 3, 39, 40, 41]) {
        for (const order of ['asc', 'desc'] as const) {
          const read = await contract.readAll({ streams: [stream], order, limit });
          expect(read.map((event) => event.event_id)).toEqual(
            (order === 'asc' ? rows : rows.toReversed()).map((row) => row.event_id),
          );
        }
      }
      const ofEntity = await contract.readAll({
        streams: [stream],
        entityIds: ['e-1'],
        order: 'asc',
        limit: 3,
      });
      expect(ofEntity.map((event) => event.version)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
      expect((await contract.streams({ streams: [stream] }))[0]?.events).toBe(40);
      expect(await contract.count({ streams: [stream], limit: 10 })).toMatchObject({
        total: 40,
      });
      expect(await contract.count({ streams: [stream], groupBy: 'event_type', limit: 10 })).toEqual({
        buckets: [
          { group: 'type.0', count: 20 },
          { group: 'type.1', count: 20 },
        ],
        total: 40,
      });
      expect(await contract.count({ streams: [stream], entityIds: ['e-1', 'e-2'], limit: 10 })).toMatchObject(
        {
          total: 16,
        },
      );
      const entities = await contract.entities({ stream, limit: 10 });
      expect(entities.items.map((entity) => [entity.entity_id, entity.version])).toEqual([
        ['e-1', 8],
        ['e-2', 8],
        ['e-3', 8],
        ['e-4', 8],
      ]);
      const stored = await contract.store.writer.storedEvents({ stream, partition: 0, from: 30, until: 100 });
      expect(stored.map(({ offset }) => offset)).toEqual([30, 31, 32, 33, 34, 35, 36, 37, 38, 39]);
    });
  });
}
