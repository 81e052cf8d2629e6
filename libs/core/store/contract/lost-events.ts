import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { maxEventsOfPartition } from '../store.js';
import { eventRow, newStream, rowsOf } from './rows.js';
import type { StoreContractFixture } from './store-contract.js';

/** Adds the specs of a store for events that Kafka has lost: they are read, removed, and their offsets used again. */
export function describeLostEvents(contract: StoreContractFixture): void {
  const rowsOfEntities = (stream: string, count: number) =>
    rowsOf(stream, count, (i) => ({ entity_id: i % 2 ? 'b' : 'a', version: Math.floor(i / 2) + 1 }));
  const heads = async (stream: string) =>
    (await contract.entities({ stream, limit: 10 })).items.map((head) => [head.entity_id, head.version]);
  const countOf = async (stream: string) => (await contract.count({ streams: [stream], limit: 10 })).total;

  describe('events that Kafka has lost', () => {
    it('are counted from an offset on, and read with all their members', async () => {
      const stream = newStream();
      const rows = [
        ...rowsOfEntities(stream, 6),
        eventRow({
          stream,
          offset: 6,
          schema_version: 3,
          metadata: '{"a":"ü"}',
          data: '{"n":9007199254740993}',
        }),
      ];
      await contract.write([...rows, eventRow({ stream, offset: 5, partition: 1 })]);
      const { writer } = contract.store;
      expect(await writer.countFrom({ stream, partition: 0, from: 4 })).toBe(3);
      const events = [...rows.slice(4), { offset: 4, event_id: randomUUID() }];
      expect(await writer.eventsAt({ stream, partition: 0, events })).toEqual(rows.slice(4));
      expect(await writer.eventsAt({ stream, partition: 2, events })).toEqual([]);
      expect(await writer.eventsAt({ stream, partition: 0, events: [] })).toEqual([]);
    });

    it('are removed from every answer, as if they had never been stored', async () => {
      const stream = newStream();
      const rows = [
        ...rowsOfEntities(stream, 8),
        eventRow({ stream, offset: 8, entity_id: 'new', version: 1 }),
      ];
      await contract.write([
        ...rows,
        eventRow({ stream, offset: 7, partition: 1, entity_id: 'b', version: 1 }),
      ]);
      const { eraser, writer } = contract.store;
      const lost = { stream, partition: 0, events: rows.slice(5) };
      await eraser.removeLost(lost);
      expect((await contract.eventsOf(stream)).map((event) => [event.partition, event.offset])).toEqual([
        ...[0, 1, 2, 3, 4].map((offset) => [0, offset]),
        [1, 7],
      ]);
      expect(await countOf(stream)).toBe(6);
      expect(await heads(stream)).toEqual([
        ['a', 3],
        ['b', 2],
      ]);
      expect(await writer.lastStoredOffset(stream, 0)).toBe(4);
      expect(await writer.lastStoredOffset(stream, 1)).toBe(7);
      await eraser.removeLost(lost);
      expect(await countOf(stream)).toBe(6);
      await eraser.removeLost({ ...lost, events: rows.slice(0, 5) });
      expect(await writer.lastStoredOffset(stream, 0)).toBeUndefined();
    });

    it('do not affect other events at the same offsets', async () => {
      const stream = newStream();
      const rows = rowsOfEntities(stream, 4);
      const others = rowsOf(stream, 4, (i) => ({
        timestamp: rows[i]!.timestamp + 1,
        entity_id: 'c',
        version: i + 1,
      }));
      await contract.write([...rows, ...others]);
      await contract.store.eraser.removeLost({ stream, partition: 0, events: rows });
      const left = await contract.eventsOf(stream);
      expect(left.map(({ event_id }) => event_id)).toEqual(others.map(({ event_id }) => event_id));
      expect(await heads(stream)).toEqual([['c', 4]]);
      expect(await countOf(stream)).toBe(4);
    });

    it('can be stored again, as they were, at the same offsets', async () => {
      const stream = newStream();
      const rows = rowsOfEntities(stream, 4);
      const insert = () => contract.write(rows);
      await insert();
      await contract.store.eraser.removeLost({ stream, partition: 0, events: rows.slice(2) });
      await insert();
      expect(await countOf(stream)).toBe(4);
      expect(await contract.eventsOf(stream)).toHaveLength(4);
      expect(await heads(stream)).toEqual([
        ['a', 2],
        ['b', 2],
      ]);
    });

    it('give their offsets to events that count, where an event was removed before', async () => {
      const stream = newStream();
      await contract.write(rowsOf(stream, 10));
      const { eraser } = contract.store;
      await eraser.truncate({ stream, partition: 0, before: 8 });
      expect(await countOf(stream)).toBe(2);
      await eraser.reuseOffsets({ stream, partition: 1, from: 0 });
      expect(await countOf(stream)).toBe(2);
      await eraser.reuseOffsets({ stream, partition: 0, from: 5 });
      await eraser.reuseOffsets({ stream, partition: 0, from: 5 });
      await contract.write([5, 6, 7].map((offset) => eventRow({ stream, offset })));
      expect(await countOf(stream)).toBe(5);
    });

    it('are removed in bounded numbers', async () => {
      const stream = newStream();
      const events = rowsOf(stream, maxEventsOfPartition + 1);
      const { eraser } = contract.store;
      await expect(eraser.removeLost({ stream, partition: 0, events })).rejects.toThrow(RangeError);
      await contract.write(events);
      await eraser.removeLost({ stream, partition: 0, events: events.slice(1) });
      expect(await countOf(stream)).toBe(1);
    });
  });
}
