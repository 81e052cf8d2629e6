import { randomUUID } from 'node:crypto';
import { expect, it, describe } from 'vitest';
import { rowBatchesOf } from '../row-batch/row-batches-of.fixture.js';
import { QueryTooExpensiveError } from '../errors.js';
import { maxStoredIds, type OffsetRange } from '../store.js';
import { eventRow, newStream, rowsOf, second, t0 } from './rows.js';
import type { StoreContractFixture } from './store-contract.js';

/** Adds the specs of a store for reading events in log order (partition, offset), whatever their timestamps. */
export function describeLogOrder(contract: StoreContractFixture): void {
  const range = (stream: string, of: Partial<OffsetRange> = {}): OffsetRange => ({
    ...{ stream, partition: 0, from: 0, until: 1000 },
    ...of,
  });

  /** Reads all ranges completely, page by page. */
  const readAll = async (ranges: OffsetRange[], limit: number) => {
    const read: string[] = [];
    let rest = ranges;
    while (rest.length > 0) {
      const { events, next } = await contract.inLogOrder({ ranges: rest, limit });
      read.push(...events.map((event) => `${event.partition}/${event.offset}`));
      rest = rest
        .map((each, i) => ({ ...each, from: next[i] as number }))
        .filter(({ from, until }) => from < until);
    }
    return read;
  };

  describe('reading in log order', () => {
    it('returns each event exactly once, ordered by offset instead of time, for any page size', async () => {
      const stream = newStream();
      await contract.write(
        [0, 1].flatMap((partition) =>
          rowsOf(stream, 20, (i) => ({ partition, timestamp: t0 - ((i * 7) % 20) * second })),
        ),
      );
      const ranges = [
        range(stream, { partition: 1, from: 5 }),
        range(stream, { until: 15 }),
        range(stream, { partition: 7 }),
      ];
      const expected = [
        ...Array.from({ length: 15 }, (_, i) => `0/${i}`),
        ...Array.from({ length: 15 }, (_, i) => `1/${i + 5}`),
      ];
      for (const limit of [1, 4, 15, 30, 100]) expect(await readAll(ranges, limit)).toEqual(expected);
    });

    it('returns the offset up to which each range was read', async () => {
      const [a, b] = [`a-${newStream()}`, `b-${newStream()}`];
      await contract.write([...rowsOf(a, 3), ...rowsOf(b, 3)]);
      const ranges = [range(b), range(a)];
      const next = async (limit: number) => (await contract.inLogOrder({ ranges, limit })).next;
      expect(await next(2)).toEqual([0, 2]);
      expect(await next(5)).toEqual([2, 1000]);
      expect(await next(7)).toEqual([1000, 1000]);
    });

    it('returns only matching events, and advances past all others', async () => {
      const stream = newStream();
      await contract.write(
        rowsOf(stream, 10, (i) => ({
          ...{ event_type: i % 2 ? 'odd' : 'even', entity_id: `e${i % 3}`, version: 1 },
        })),
      );
      const asked = { ranges: [range(stream)], limit: 100 };
      const offsetsOf = async (filter: object) =>
        (await contract.inLogOrder({ ...asked, ...filter })).events.map(({ offset }) => offset);
      expect(await offsetsOf({ eventTypes: ['odd'] })).toEqual([1, 3, 5, 7, 9]);
      expect(await offsetsOf({ entityIds: ['e0'], eventTypes: ['odd'] })).toEqual([3, 9]);
      expect(await offsetsOf({ since: t0 + 8 * second })).toEqual([8, 9]);
      expect(await offsetsOf({ access: { patterns: ['other'], reserved: false } })).toEqual([]);
      expect(await offsetsOf({ hidden: [stream] })).toEqual([]);
      expect((await contract.inLogOrder({ ...asked, eventTypes: ['none'] })).next).toEqual([1000]);
    });

    it('returns an event once that was written twice, even at the end of a page', async () => {
      const stream = newStream();
      const rows = rowsOf(stream, 6);
      await contract.store.writer.appendRowBatches(rowBatchesOf(rows), randomUUID());
      await contract.store.writer.appendRowBatches(rowBatchesOf(rows), randomUUID());
      for (const limit of [1, 3, 4, 100]) {
        expect(await readAll([range(stream)], limit)).toEqual(['0/0', '0/1', '0/2', '0/3', '0/4', '0/5']);
      }
    });

    it('reports which event ids are stored in the ranges', async () => {
      const [stream, other] = [newStream(), newStream()];
      const rows = rowsOf(stream, 10);
      const elsewhere = rowsOf(other, 2);
      await contract.write([...rows, ...elsewhere]);
      await contract.store.writer.appendRowBatches(rowBatchesOf(rows.slice(3, 5)), randomUUID());
      const ids = [...rows, ...elsewhere].map(({ event_id }) => event_id);
      const { reader } = contract.store;
      const asked = [...ids, randomUUID()];
      const found = await reader.storedIds({ ranges: [range(stream, { from: 2, until: 6 })], ids: asked });
      expect(found.toSorted()).toEqual(ids.slice(2, 6).toSorted());
      expect(await reader.storedIds({ ranges: [range(stream, { partition: 1 })], ids: asked })).toEqual([]);
      expect(await reader.storedIds({ ranges: [range(stream)], ids: [] })).toEqual([]);
      expect(await reader.storedIds({ ranges: [], ids: asked })).toEqual([]);
      const tooMany = Array.from({ length: maxStoredIds + 1 }, () => asked[0]!);
      await expect(reader.storedIds({ ranges: [range(stream)], ids: tooMany })).rejects.toThrow(RangeError);
    });

    it('rejects an answer that is larger than allowed', async () => {
      const stream = newStream();
      await contract.write(
        [0, 1, 2, 3].map((offset) => eventRow({ stream, offset, data: `{"text":"${'x'.repeat(100_000)}"}` })),
      );
      const read = (limit: number) =>
        contract.inLogOrder({ ranges: [range(stream)], limit, maxBytes: 250_000 });
      await expect(read(4)).rejects.toBeInstanceOf(QueryTooExpensiveError);
      expect((await read(2)).events).toHaveLength(2);
    });
  });
}
