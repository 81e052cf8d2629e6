import { describe, expect, it } from 'vitest';
import { InvalidCursorError, QueryTooExpensiveError } from '../errors.js';
import { eventRow, newStream, offsetsOf, rowsOf, second, t0 } from './rows.js';
import type { UnscopedEventQuery, StoreContractFixture } from './store-contract.js';

/** Adds the specs of a store for pages of events and their cursors. */
export function describePages(contract: StoreContractFixture): void {
  describe('pages', () => {
    it('return all events in ascending and descending order', async () => {
      const stream = newStream();
      await contract.write(rowsOf(stream, 25));
      const up = Array.from({ length: 25 }, (_, i) => i);
      for (const limit of [1, 7, 24, 25, 26]) {
        const asc = await contract.readAll({ streams: [stream], order: 'asc', limit });
        expect(asc.map((event) => event.offset)).toEqual(up);
        const desc = await contract.readAll({ streams: [stream], order: 'desc', limit });
        expect(desc.map((event) => event.offset)).toEqual(up.toReversed());
      }
    });

    it('order events with the same timestamp by partition, offset and stream, and a cursor can point between them', async () => {
      const [a, b] = [`a-${newStream()}`, `b-${newStream()}`];
      const rows = [a, b].flatMap((stream) =>
        [2, 0, 1].flatMap((partition) =>
          [5, 3, 4].map((offset) => eventRow({ stream, partition, offset, timestamp: t0 })),
        ),
      );
      await contract.write(rows);
      const expected = [0, 1, 2].flatMap((partition) =>
        [3, 4, 5].flatMap((offset) => [a, b].map((stream) => `${partition}/${offset}/${stream}`)),
      );
      const read = async (order: 'asc' | 'desc', limit: number) =>
        (await contract.readAll({ streams: [a, b], order, limit })).map(
          (event) => `${event.partition}/${event.offset}/${event.stream}`,
        );
      for (const limit of [1, 2, 5, 18]) {
        expect(await read('asc', limit)).toEqual(expected);
        expect(await read('desc', limit)).toEqual(expected.toReversed());
      }
    });

    it('over several streams do not depend on earlier queries', async () => {
      const streams = [newStream(), newStream()];
      await contract.write(streams.flatMap((stream) => rowsOf(stream, 40)));
      const query: UnscopedEventQuery = { streams, order: 'asc', limit: 10 };
      const early = await contract.query({ ...query, since: t0 });
      const sparse = await contract.query({ ...query, since: t0 + 37 * second });
      expect(offsetsOf(early)).toEqual([0, 0, 1, 1, 2, 2, 3, 3, 4, 4]);
      expect(offsetsOf(sparse)).toEqual([37, 37, 38, 38, 39, 39]);
      expect(offsetsOf(await contract.query({ ...query, since: t0 }))).toEqual(offsetsOf(early));
      const newest = await contract.query({ ...query, order: 'desc' });
      await contract.write(streams.map((stream) => eventRow({ stream, offset: 40 })));
      const newer = await contract.query({ ...query, order: 'desc' });
      expect(offsetsOf(newer)).toEqual([40, 40, ...offsetsOf(newest).slice(0, 8)]);
    });

    it('are rejected if they are larger than allowed', async () => {
      const stream = newStream();
      const data = `{"text":"${'x'.repeat(100_000)}"}`;
      await contract.write([0, 1, 2, 3].map((offset) => eventRow({ stream, offset, data })));
      const query = { streams: [stream], order: 'asc', maxBytes: 350_000 } as const;
      await expect(contract.query({ ...query, limit: 3 })).rejects.toBeInstanceOf(QueryTooExpensiveError);
      const page = await contract.query({ ...query, limit: 2 });
      expect(offsetsOf(page)).toEqual([0, 1]);
      const { nextCursor: cursor } = page;
      expect(offsetsOf(await contract.query({ ...query, limit: 2, cursor: cursor! }))).toEqual([2, 3]);
    });

    it('reject a cursor of another query, and a modified cursor', async () => {
      const stream = newStream();
      await contract.write(rowsOf(stream, 5));
      const query: UnscopedEventQuery = { streams: [stream], order: 'asc', limit: 2 };
      const cursor = (await contract.query(query)).nextCursor as string;
      const refused = (changed: Partial<UnscopedEventQuery>) =>
        expect(contract.query({ ...query, cursor, ...changed })).rejects.toBeInstanceOf(InvalidCursorError);
      await refused({ streams: [newStream()] });
      await refused({ order: 'desc' });
      await refused({ since: t0 });
      await refused({ eventTypes: ['order.placed'] });
      for (const broken of [
        '',
        'x',
        '💥',
        `${cursor}=`,
        `${cursor}A`,
        cursor.slice(2),
        cursor.toLowerCase(),
      ]) {
        await refused({ cursor: broken });
      }
      const text = Buffer.from(cursor, 'base64url').toString();
      await refused({ cursor: Buffer.from(text.replace(`,1,`, `,2,`)).toString('base64url') });
      expect(offsetsOf(await contract.query({ ...query, cursor, limit: 10 }))).toEqual([2, 3, 4]);
    });
  });
}
