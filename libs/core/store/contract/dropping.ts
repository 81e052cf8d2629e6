import { describe, expect, it } from 'vitest';
import { eventRow, deadLetterOf, newStream, rowsOf, second, t0 } from './rows.js';
import type { StoreContractFixture } from './store-contract.js';

/** Adds the specs of a store for dropping a stream: no row of the stream remains. */
export function describeDropping(contract: StoreContractFixture): void {
  describe('dropping a stream', () => {
    const rows = (stream: string) => rowsOf(stream, 6, (i) => ({ entity_id: 'e', version: i + 1 }));
    const drop = (stream: string) => contract.store.eraser.dropStream(stream);
    const letters = async (stream: string) =>
      (await contract.deadLetters({ limit: 100 })).items.filter((letter) => letter.stream === stream);

    it('removes all its rows, and no row of another stream', async () => {
      const [stream, other] = [newStream(), newStream()];
      await contract.write([...rows(stream), ...rows(other)]);
      await contract.store.writer.appendDeadLetters(
        [stream, other].map((of) => deadLetterOf({ stream: of, offset: 7 })),
      );
      await drop(stream);
      await drop(stream);
      await drop(newStream());
      expect(await contract.eventsOf(stream)).toEqual([]);
      expect(await contract.streams({ streams: [stream] })).toEqual([]);
      expect((await contract.entities({ stream, limit: 5 })).items).toEqual([]);
      expect(await letters(stream)).toEqual([]);
      expect((await contract.count({ streams: [stream], entityIds: ['e'], limit: 5 })).total).toBe(0);
      const versions = { stream, partition: 0, entityIds: ['e'], before: 100 };
      expect(await contract.store.writer.latestVersions(versions)).toEqual(new Map());
      expect(await contract.store.writer.lastStoredOffset(stream, 0)).toBeUndefined();
      expect(await contract.eventsOf(other)).toHaveLength(6);
      expect(await letters(other)).toHaveLength(1);
      expect((await contract.entities({ stream: other, limit: 5 })).items).toMatchObject([{ version: 6 }]);
    });

    it('keeps the rows of the next stream with the same name, which starts at offset 0 again', async () => {
      const name = newStream();
      const [former, next] = [`${name}#1`, `${name}#2`];
      await contract.write(rows(former));
      const letter = deadLetterOf({ stream: former, offset: 7 });
      await contract.store.writer.appendDeadLetters([letter]);
      await contract.store.writer.markReplayed([(await letters(name))[0]?.id as string], t0);
      await contract.store.eraser.truncate({ stream: former, partition: 0, before: 2 });
      await contract.write([eventRow({ stream: next, offset: 0, timestamp: t0 + 99 * second })]);
      await drop(former);
      await contract.store.writer.appendDeadLetters([{ ...letter, stream: next }]);
      expect(await contract.streams({ streams: [former, next] })).toEqual([
        { stream: name, events: 1, first_timestamp: t0 + 99 * second, last_timestamp: t0 + 99 * second },
      ]);
      expect(await letters(name)).toMatchObject([{ replayed_at: null }]);
      expect((await contract.count({ streams: [next], limit: 5 })).total).toBe(1);
    });

    it('hides rows that are written later from queries on all streams, until removeLate removes them', async () => {
      const name = newStream();
      const [former, next] = [`${name}#1`, `${name}#2`];
      await drop(former);
      await contract.write([...rows(former), eventRow({ stream: next, offset: 0, entity_id: 'f' })]);
      await contract.store.writer.appendDeadLetters([deadLetterOf({ stream: former, offset: 7 })]);
      const ofBoth = async () => {
        const { items } = await contract.query({ order: 'asc', limit: 10_000 });
        const { buckets } = await contract.count({ groupBy: 'stream', limit: 10_000 });
        const entities = (await contract.entities({ limit: 10_000 })).items;
        return [
          items.filter(({ stream }) => stream === name).length,
          buckets.find(({ group }) => group === name)?.count,
          entities.filter(({ stream }) => stream === name).length,
          (await letters(name)).length,
        ];
      };
      expect(await ofBoth()).toEqual([1, 1, 1, 0]);
      expect(await contract.store.eraser.removeLateRows()).toBe(1);
      expect(await contract.store.eraser.removeLateRows()).toBe(0);
      expect(await contract.eventsOf(former)).toEqual([]);
      expect(await contract.store.writer.lastStoredOffset(former, 0)).toBeUndefined();
      expect(await ofBoth()).toEqual([1, 1, 1, 0]);
    });

    it('keeps stream ids internal: all answers contain the name of the stream', async () => {
      const name = newStream();
      const stream = `${name}#1`;
      await contract.write(rows(stream));
      await contract.store.writer.appendDeadLetters([deadLetterOf({ stream, offset: 7 })]);
      expect(new Set((await contract.eventsOf(stream)).map((event) => event.stream))).toEqual(
        new Set([name]),
      );
      expect(await contract.streams({ streams: [stream] })).toMatchObject([{ stream: name, events: 6 }]);
      const counted = await contract.count({ streams: [stream], groupBy: 'stream', limit: 5 });
      expect(counted.buckets).toEqual([{ group: name, count: 6 }]);
      expect((await contract.entities({ stream, limit: 5 })).items).toMatchObject([{ stream: name }]);
      expect((await letters(name)).map(({ offset }) => offset)).toEqual([7]);
    });
  });
}
