import { describe, expect, it } from 'vitest';
import { uuidText } from '#event';
import type { EventRow } from '../store.js';
import { eventRow, newStream, rowsOf, t0 } from './rows.js';
import type { StoreContractFixture } from './store-contract.js';

/** Adds the specs of a store for the lookups that a materializer makes before it writes events. */
export function describeMaterializing(contract: StoreContractFixture): void {
  describe('a materializer', () => {
    it('looks up the stored events of a partition in an offset range, ordered by offset', async () => {
      const stream = newStream();
      const at = (partition: number, offset: number) =>
        eventRow({ stream, partition, offset, entity_id: offset % 2 ? 'e' : null });
      await contract.write([at(0, 7), at(0, 3), at(0, 2_000_000), at(1, 4), at(0, 5)]);
      const stored = async (partition: number, from: number, of = stream) =>
        (await contract.store.writer.storedEvents({ stream: of, partition, from, until: from + 5 })).map(
          (e) => e.offset,
        );
      expect(await stored(0, 4)).toEqual([5, 7]);
      expect(await stored(0, 0)).toEqual([3]);
      expect(await stored(0, 1_999_996)).toEqual([2_000_000]);
      expect(await stored(1, 0)).toEqual([4]);
      expect(await stored(2, 0)).toEqual([]);
      expect(await stored(0, 0, 'nowhere')).toEqual([]);
    });

    it('looks up the greatest stored offset of a partition', async () => {
      const stream = newStream();
      await contract.write([7, 2_000_000, 5].map((offset) => eventRow({ stream, offset })));
      expect(await contract.store.writer.lastStoredOffset(stream, 0)).toBe(2_000_000);
      expect(await contract.store.writer.lastStoredOffset(stream, 1)).toBeUndefined();
    });

    it('looks up the greatest stored offsets of many partitions at once', async () => {
      const streams = [newStream(), newStream()];
      const rows = streams.flatMap((stream, at) =>
        [0, 1].map((partition) => eventRow({ stream, partition, offset: 10 * at + partition })),
      );
      await contract.write(rows);
      const { writer } = contract.store;
      const found = streams.flatMap((stream) =>
        [0, 1, 2].map((partition) => writer.lastStoredOffset(stream, partition)),
      );
      expect(await Promise.all([...found, writer.lastStoredOffset('nowhere', 0)])).toEqual([
        ...[0, 1, undefined, 10, 11, undefined],
        undefined,
      ]);
    });

    it('looks up several events with one offset by their ids, after the topic was recreated', async () => {
      const stream = newStream();
      const [old, young] = [0, 1].map((i) =>
        eventRow({ stream, offset: 3, timestamp: t0 + i, entity_id: 'e', version: 1 }),
      ) as [EventRow, EventRow];
      const ids = async () =>
        (await contract.store.writer.storedEvents({ stream, partition: 0, from: 3, until: 4 }))
          .map((e) => e.event_id)
          .sort();
      await contract.write([old]);
      expect(await ids()).toEqual([old.event_id]);
      await contract.write([young]);
      expect(await ids()).toEqual([old.event_id, young.event_id].sort());
    });

    it('looks up the latest version of each entity below an offset', async () => {
      const stream = newStream();
      const version = (entity: string, offset: number, n: number) =>
        eventRow({ stream, partition: 1, offset, entity_id: entity, version: n });
      await contract.write([version('a', 1, 1), version('b', 2, 1), version('a', 3, 2), version('a', 9, 3)]);
      const versions = (before: number, partition = 1) =>
        contract.store.writer.latestVersions({ stream, partition, entityIds: ['a', 'b', 'c', "'"], before });
      expect(await versions(10)).toEqual(new Map(Object.entries({ a: 3, b: 1 })));
      expect(await versions(9)).toEqual(new Map(Object.entries({ a: 2, b: 1 })));
      expect(await versions(2)).toEqual(new Map(Object.entries({ a: 1 })));
      expect(await versions(0)).toEqual(new Map());
      expect(await versions(10, 0)).toEqual(new Map());
    });

    it('looks up the versions of events by their ids', async () => {
      const stream = newStream();
      const [first, second, alone, elsewhere] = [
        eventRow({ stream, partition: 1, offset: 1, entity_id: 'e', version: 1 }),
        eventRow({ stream, partition: 1, offset: 2, entity_id: 'e', version: 2 }),
        eventRow({ stream, partition: 1, offset: 3, entity_id: null }),
        eventRow({ stream, partition: 0, offset: 1, entity_id: 'f', version: 7 }),
      ] as [EventRow, EventRow, EventRow, EventRow];
      await contract.write([first, second, alone, elsewhere]);
      const eventIds = [second, alone, elsewhere].map(({ event_id }) => event_id);
      expect(await contract.store.writer.versionsOf({ stream, partition: 1, eventIds })).toEqual(
        new Map([
          [second.event_id, 2],
          [alone.event_id, null],
        ]),
      );
    });

    it('looks up the offsets of events by their ids, in an offset range', async () => {
      const stream = newStream();
      const repeated = eventRow({ stream, partition: 1, offset: 1 });
      const rows = [
        repeated,
        { ...repeated, offset: 2_000_000 },
        eventRow({ stream, partition: 1, offset: 2, entity_id: 'e', version: 1 }),
        eventRow({ stream, partition: 0, offset: 1 }),
      ];
      await contract.write(rows);
      const [id, , other, elsewhere] = rows.map(({ event_id }) => event_id) as [
        string,
        string,
        string,
        string,
      ];
      const offsets = (from: number, until: number) =>
        contract.store.writer.offsetsOf({
          ...{ stream, partition: 1, from, until },
          eventIds: [id, other, elsewhere, eventRow({ stream, offset: 9 }).event_id],
        });
      expect(await offsets(0, 2_000_001)).toEqual(
        new Map([
          [id, [1, 2_000_000]],
          [other, [2]],
        ]),
      );
      expect(await offsets(2, 2_000_000)).toEqual(new Map([[other, [2]]]));
    });

    it('looks up thousands of ids at once', async () => {
      const stream = newStream();
      const rows = rowsOf(stream, 5000, () => ({}));
      await contract.write(rows);
      const eventIds = rows.map(({ event_id }) => event_id);
      const found = await contract.store.writer.offsetsOf({
        ...{ stream, partition: 0, from: 0, until: 5000 },
        eventIds,
      });
      expect(found).toEqual(new Map(rows.map(({ event_id, offset }) => [event_id, [offset]])));
    });

    it('reads the ids of an offset range', async () => {
      const stream = newStream();
      const rows = [7, 8, 9, 10].map((offset) => eventRow({ stream, partition: 1, offset }));
      await contract.write([...rows, eventRow({ stream, partition: 0, offset: 8 })]);
      const ids = async (from: number, until: number) => {
        const words = await contract.store.writer.idsIn({ stream, partition: 1, from, until });
        return Array.from({ length: words.length / 4 }, (_, i) => uuidText(words.subarray(i * 4, i * 4 + 4)));
      };
      expect((await ids(8, 10)).sort()).toEqual([rows[1]!.event_id, rows[2]!.event_id].sort());
      expect(await ids(11, 20)).toEqual([]);
    });

    it.each([
      ['long names', 'ü'],
      ['names of quotes and backslashes', `'\\`],
      ['names of control characters', '\n\t\r\0\b'],
    ])('looks up the versions of thousands of entities with %s', async (_what, text) => {
      const stream = newStream();
      const id = (i: number) => `entity-${i}-${text.repeat(100)}`;
      await contract.write(rowsOf(stream, 5000, (i) => ({ entity_id: id(i), version: 1 })));
      const entityIds = Array.from({ length: 5000 }, (_, i) => id(i));
      const found = await contract.store.writer.latestVersions({
        stream,
        partition: 0,
        entityIds,
        before: 5000,
      });
      expect(found.size).toBe(5000);
    });
  });
}
