import { describe, expect, it } from 'vitest';
import { eventRow, letterOf, newStream, rowsOf, second, t0 } from './rows.js';
import type { StoreContract } from './store-contract.js';

/** A stream goes as if it had never been. */
export function describeDropping(contract: StoreContract): void {
  describe('dropping a stream', () => {
    const rows = (stream: string) => rowsOf(stream, 6, (i) => ({ entity_id: 'e', version: i + 1 }));
    const drop = (stream: string) => contract.store.eraser.dropStream(stream);
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
      await contract.store.eraser.truncate({ stream, partition: 0, before: 2 });
      await drop(stream);
      await contract.write([eventRow({ stream, offset: 0, timestamp: t0 + 99 * second })]);
      await contract.store.writer.appendDeadLetters([letter]);
      expect(await contract.streams({ streams: [stream] })).toEqual([
        { stream, events: 1, first_timestamp: t0 + 99 * second, last_timestamp: t0 + 99 * second },
      ]);
      expect(await letters(stream)).toMatchObject([{ replayed_at: null }]);
      expect((await contract.count({ streams: [stream], limit: 5 })).total).toBe(1);
    });

    it('takes the same events once more, ingested later', async () => {
      const stream = newStream();
      const token = `${stream}:0:0-5`;
      const first = rows(stream);
      await contract.store.writer.append(first, token);
      await drop(stream);
      const again = first.map((row) => ({ ...row, ingested_at: row.ingested_at + 3600 * second }));
      await contract.store.writer.append(again, token);
      expect(await contract.eventsOf(stream)).toHaveLength(6);
      expect((await contract.entities({ stream, limit: 5 })).items).toMatchObject([{ version: 6 }]);
    });
  });
}
