import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { formatTime } from '#json';
import { rowBatchesOf } from '../row-batch/row-batches-of.fixture.js';
import { newStream, rowsOf } from './rows.js';
import type { StoreContractFixture } from './store-contract.js';

/** Adds the specs of a store for inserts of row batches of several partitions, and of slices of batches. */
export function describeRowBatches(contract: StoreContractFixture): void {
  describe('writing row batches', () => {
    const rows = (stream: string, partition: number) =>
      rowsOf(stream, 3, (i) => ({
        partition,
        entity_id: i === 1 ? null : `ent\u0000ity "${i}" 🎉`,
        version: i === 1 ? null : i + 1,
        schema_version: i === 2 ? 7 : null,
        metadata: i === 2 ? '{"source":"wéb"}' : '{}',
        data: `{"n":9007199254740993,"d":0.10,"text":"${'ü'.repeat(i * 300)}"}`,
      }));

    it('stores the rows of each partition', async () => {
      const stream = newStream();
      const written = [...rows(stream, 0), ...rows(stream, 300)];
      await contract.write(written);
      const inOrder = written.toSorted((a, b) => a.timestamp - b.timestamp || a.partition - b.partition);
      expect(await contract.eventsOf(stream)).toEqual(
        inOrder.map(({ timestamp, ingested_at, ...row }) => ({
          ...row,
          timestamp: formatTime(timestamp),
          ingested_at: formatTime(ingested_at),
        })),
      );
    });

    it('writes nothing for an empty batch', async () => {
      const stream = newStream();
      const [block] = rowBatchesOf(rows(stream, 0));
      await contract.store.writer.appendRowBatches([block!.slice(1, 1), block!.slice(2, 3)], randomUUID());
      await contract.store.writer.appendRowBatches([block!.slice(0, 0)], randomUUID());
      expect((await contract.eventsOf(stream)).map(({ offset }) => offset)).toEqual([2]);
    });
  });
}
