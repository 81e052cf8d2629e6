import { describe, expect, it } from 'vitest';
import { blocksOf } from '../blocks/blocks-of.fixture.js';
import { eventRow, letterOf, newStream, rowsOf, second, t0 } from './rows.js';
import type { StoreContract } from './store-contract.js';

/** A stream goes as if it had never been. */
export function describeDropping(contract: StoreContract): void {
  describe('dropping a stream', () => {
    const rows = (stream: string) => rowsOf(stream, 6, (i) => ({ entity_id: 'e', version: i + 1 }));
    const drop = (stream: string, before = t0 + 60 * second) =>
      contract.store.eraser.dropStream({ stream, before });
    const letters = async (stream: string) =>
      (await contract.deadLetters({ limit: 100 })).items.filter((letter) => letter.stream === stream);

    it('leaves nothing of it, and everything of the others', async () => {
      const [stream, other] = [newStream(), newStream()];
      await contract.write([...rows(stream), ...rows(other)]);
      await contract.store.writer.appendDeadLetters(
        [stream, other].map((of) => letterOf({ stream: of, offset: 7 })),
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
      expect(await contract.store.writer.versions(versions)).toEqual(new Map());
      expect(await contract.store.writer.lastStored(stream, 0)).toBeUndefined();
      expect(await contract.eventsOf(other)).toHaveLength(6);
      expect(await letters(other)).toHaveLength(1);
      expect((await contract.entities({ stream: other, limit: 5 })).items).toMatchObject([{ version: 6 }]);
    });

    it('lets the name be used again, from the first offset on', async () => {
      const stream = newStream();
      await contract.write(rows(stream));
      const letter = letterOf({ stream, offset: 7 });
      await contract.store.writer.appendDeadLetters([letter]);
      await contract.store.writer.markReplayed([(await letters(stream))[0]?.id as string], t0);
      await contract.store.eraser.truncate({
        ...{ stream, partition: 0, before: 2 },
        ingestedBefore: t0 + 60 * second,
      });
      await drop(stream);
      await contract.write([eventRow({ stream, offset: 0, timestamp: t0 + 99 * second })]);
      await contract.store.writer.appendDeadLetters([letter]);
      expect(await contract.streams({ streams: [stream] })).toEqual([
        { stream, events: 1, first_timestamp: t0 + 99 * second, last_timestamp: t0 + 99 * second },
      ]);
      expect(await letters(stream)).toMatchObject([{ replayed_at: null }]);
      expect((await contract.count({ streams: [stream], limit: 5 })).total).toBe(1);
    });

    it('leaves what was ingested since: it is of the next stream of that name', async () => {
      const stream = newStream();
      const successor = (offset: number) =>
        eventRow({
          ...{
            stream,
            offset,
            entity_id: 'e',
            version: offset + 1,
            ingested_at: t0 + (100 + offset) * second,
          },
          timestamp: t0 + 500 * second,
        });
      await contract.write([...rows(stream), ...[0, 1].map(successor)]);
      await contract.store.writer.appendDeadLetters([
        letterOf({ stream, offset: 7 }),
        letterOf({ stream, offset: 8, created_at: t0 + 100 * second }),
      ]);
      for (let repeat = 0; repeat < 2; repeat++) {
        await drop(stream);
        const left = await contract.eventsOf(stream);
        expect(left.map(({ offset, version }) => [offset, version])).toEqual([
          [0, 1],
          [1, 2],
        ]);
        expect((await contract.entities({ stream, limit: 5 })).items).toMatchObject([{ version: 2 }]);
        expect((await contract.count({ streams: [stream], limit: 5 })).total).toBe(2);
        expect(await contract.streams({ streams: [stream] })).toMatchObject([{ events: 2 }]);
        expect(await contract.store.writer.lastStored(stream, 0)).toBe(1);
        expect((await letters(stream)).map(({ offset }) => offset)).toEqual([8]);
      }
    });

    it('leaves a stream alone that has nothing so old, with versions of what is past its retention', async () => {
      const stream = newStream();
      await contract.write(rows(stream));
      await contract.write([eventRow({ stream, offset: 9, ingested_at: t0 + 90 * second })]);
      await contract.store.eraser.expire({ stream, before: t0 + 80 * second });
      await drop(stream);
      expect((await contract.entities({ stream, limit: 5 })).items).toMatchObject([{ version: 6 }]);
      expect((await contract.count({ streams: [stream], limit: 5 })).total).toBe(1);
    });

    it('takes the same events once more, ingested later', async () => {
      const stream = newStream();
      const token = `${stream}:0:0-5`;
      const first = rows(stream);
      await contract.store.writer.appendBlocks(blocksOf(first), token);
      await drop(stream);
      const again = first.map((row) => ({ ...row, ingested_at: row.ingested_at + 3600 * second }));
      await contract.store.writer.appendBlocks(blocksOf(again), token);
      expect(await contract.eventsOf(stream)).toHaveLength(6);
      expect((await contract.entities({ stream, limit: 5 })).items).toMatchObject([{ version: 6 }]);
    });
  });
}
