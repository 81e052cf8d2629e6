import { describe, expect, it } from 'vitest';
import { eventRow, deadLetterOf, newStream, second, t0 } from './rows.js';
import type { StoreContractFixture } from './store-contract.js';

/** Specs of retention: events past their retention are removed; the latest versions of entities remain. */
export function describeRetention(contract: StoreContractFixture): void {
  describe('retention', () => {
    /** Events ingested a second apart; the event with the latest timestamp was ingested first. */
    const rows = (stream: string, count = 10) =>
      Array.from({ length: count }, (_, i) =>
        eventRow({
          stream,
          partition: i % 2,
          offset: i,
          entity_id: i % 3 ? `e-${i % 3}` : null,
          version: i % 3 ? Math.floor(i / 3) + 1 : null,
          timestamp: t0 - i * second,
          ingested_at: t0 + i * second,
        }),
      );
    const counted = async (stream: string) => (await contract.count({ streams: [stream], limit: 10 })).total;
    const offsetsOf = async (stream: string) =>
      (await contract.eventsOf(stream)).map((event) => event.offset).toReversed();

    it('by time removes events ingested, and dead letters created, before it', async () => {
      const [stream, other] = [newStream(), newStream()];
      const all = rows(stream);
      await contract.write([...all, ...rows(other)]);
      const letters = [4, 5].map((i) => deadLetterOf({ stream, offset: i, created_at: t0 + i * second }));
      await contract.store.writer.appendDeadLetters([...letters, deadLetterOf({ stream: other, offset: 0 })]);
      expect(await contract.store.eraser.expire({ stream, before: t0 + 5 * second })).toBe(5);
      expect(await offsetsOf(stream)).toEqual([5, 6, 7, 8, 9]);
      expect(await counted(stream)).toBe(5);
      expect(await contract.byId(all[4]?.event_id as string)).toBeUndefined();
      const ofEntity = { streams: [stream], entityIds: ['e-1'], limit: 10 } as const;
      expect((await contract.count(ofEntity)).total).toBe(1);
      expect((await contract.query({ ...ofEntity, order: 'asc' })).items.map((e) => e.version)).toEqual([3]);
      expect(await contract.streams({ streams: [stream] })).toEqual([
        { stream, events: 5, first_timestamp: t0 - 9 * second, last_timestamp: t0 - 5 * second },
      ]);
      const left = (await contract.deadLetters({ limit: 100 })).items;
      expect(left.filter((letter) => letter.stream === stream).map((letter) => letter.offset)).toEqual([5]);
      expect(left.filter((letter) => letter.stream === other)).toHaveLength(1);
      expect(await counted(other)).toBe(10);
    });

    it('by offset removes the events and dead letters of a partition below it', async () => {
      const stream = newStream();
      await contract.write(rows(stream));
      const letters = [3, 5].map((offset) => deadLetterOf({ stream, partition: 1, offset }));
      await contract.store.writer.appendDeadLetters([...letters, deadLetterOf({ stream, offset: 2 })]);
      const truncated = { stream, partition: 1, before: 5 };
      expect(await contract.store.eraser.truncate(truncated)).toBe(2);
      expect(await contract.store.eraser.truncate(truncated)).toBe(0);
      expect(await offsetsOf(stream)).toEqual([0, 2, 4, 5, 6, 7, 8, 9]);
      expect(await counted(stream)).toBe(8);
      expect((await contract.count({ streams: [stream], groupBy: 'event_type', limit: 9 })).total).toBe(8);
      const left = (await contract.deadLetters({ limit: 100 })).items.filter((l) => l.stream === stream);
      expect(left.map(({ partition, offset }) => [partition, offset]).toSorted()).toEqual([
        [0, 2],
        [1, 5],
      ]);
    });

    it('can be repeated, and continues after the events that are already removed', async () => {
      const stream = newStream();
      await contract.write(rows(stream));
      const expire = (seconds: number) =>
        contract.store.eraser.expire({ stream, before: t0 + seconds * second });
      expect(await expire(-1)).toBe(0);
      expect(await expire(3)).toBe(3);
      expect(await expire(3)).toBe(0);
      expect(await expire(4)).toBe(1);
      expect(await counted(stream)).toBe(6);
      await contract.write([eventRow({ stream, offset: 20, ingested_at: t0 + 20 * second })]);
      expect(await counted(stream)).toBe(7);
      expect(await expire(100)).toBe(7);
      expect(await counted(stream)).toBe(0);
      expect(await contract.streams({ streams: [stream] })).toEqual([]);
    });

    it('keeps the latest version of each entity, so that new events continue from it', async () => {
      const stream = newStream();
      const row = (offset: number, version: number) =>
        eventRow({ stream, offset, version, entity_id: 'e', ingested_at: t0 + offset * second });
      const versionBefore = async (before: number) =>
        (await contract.store.writer.latestVersions({ stream, partition: 0, entityIds: ['e'], before })).get(
          'e',
        );
      await contract.write([row(1, 1), row(2, 2), row(3, 3), row(7, 4), row(9, 5)]);
      await contract.store.eraser.expire({ stream, before: t0 + 5 * second });
      expect(await versionBefore(10)).toBe(5);
      expect(await versionBefore(8)).toBe(4);
      expect(await versionBefore(5)).toBe(3);
      await contract.store.eraser.expire({ stream, before: t0 + 50 * second });
      expect(await versionBefore(10)).toBe(5);
      expect(await contract.eventsOf(stream)).toEqual([]);
      expect((await contract.entities({ stream, limit: 10 })).items).toEqual([
        { stream, entity_id: 'e', version: 5, last_timestamp: t0 + 9 * second },
      ]);
      expect(await contract.store.writer.lastStoredOffset(stream, 0)).toBe(9);
    });

    it('updates the first and last timestamp of a stream', async () => {
      const stream = newStream();
      const at = (offset: number, seconds: number) =>
        eventRow({ stream, offset, timestamp: t0 + seconds * second, ingested_at: t0 + offset * second });
      await contract.write([at(1, 5), at(2, -7), at(3, 2), at(4, 9), at(5, 3)]);
      const times = async () => {
        const [summary] = await contract.streams({ streams: [stream] });
        return [summary?.first_timestamp, summary?.last_timestamp].map(
          (time) => ((time ?? NaN) - t0) / second,
        );
      };
      expect(await times()).toEqual([-7, 9]);
      await contract.store.eraser.expire({ stream, before: t0 + 3 * second });
      expect(await times()).toEqual([2, 9]);
      await contract.store.eraser.expire({ stream, before: t0 + 5 * second });
      expect(await times()).toEqual([3, 3]);
      await contract.write([at(6, 1)]);
      expect(await times()).toEqual([1, 3]);
    });
  });
}
