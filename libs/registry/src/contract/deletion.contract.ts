import { describe, expect, it } from 'vitest';
import { erasureName } from '../erasures/erasure.js';
import { ada, anErasure } from './definition-examples.js';
import { streamsOf, type DefinitionsUnderTest } from './definitions-under-test.js';

const nothing = (): Promise<void> => Promise.resolve();

/** Something that goes on until it is told to end. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

/** The two phases of a deletion, and who goes on with it. */
export function describeDeletion(given: DefinitionsUnderTest): void {
  describe('deleting a stream', () => {
    it('first tells every process that nothing may be written any more', async () => {
      const [one, two] = await given.two();
      const { definition } = await one.createStream({ stream: 'orders' }, ada);
      const deleting = await one.beginDeletion('orders', ada);
      expect(deleting).toEqual({ ...definition, state: 'deleting' });
      await expect.poll(() => two.stream('orders')).toEqual(deleting);
      expect(await two.beginDeletion('orders', ada)).toEqual(deleting);
      const refused = { code: 'stream_being_deleted' };
      await expect(two.createStream({ stream: 'orders' }, ada)).rejects.toMatchObject(refused);
      const change = two.changeStream('orders', (current) => ({ ...current, retention: { bytes: 1 } }), ada);
      await expect(change).rejects.toMatchObject(refused);
    });

    it('removes the topic, then the rows, then the definition', async () => {
      const names = given.names();
      const [one, two] = await given.two(names);
      await one.createStream({ stream: 'orders' }, ada);
      const topic = names.ofStream('orders');
      let seen: unknown;
      const removeRows = async (): Promise<void> => {
        await expect.poll(() => given.log.admin.partitions(topic)).toBeUndefined();
        seen = one.stream('orders')?.state;
      };
      await one.deleteStream('orders', removeRows, ada);
      expect(seen).toBe('deleting');
      expect(one.stream('orders')).toBeUndefined();
      await expect.poll(() => streamsOf(two)).toEqual([]);
      expect(streamsOf(await given.started(names))).toEqual([]);
      await expect(one.deleteStream('orders', nothing, ada)).rejects.toMatchObject({
        code: 'stream_not_found',
      });
    });

    it('frees its name, also for one that collides with it', async () => {
      const names = given.names();
      const [one, two] = await given.two(names);
      await one.createStream({ stream: 'a.b', partitions: 1 }, ada);
      await given.producer.append([{ topic: names.ofStream('a.b'), key: 'k', value: 'old' }]);
      await one.deleteStream('a.b', nothing, ada);
      const { definition } = await one.createStream({ stream: 'a.b', partitions: 3 }, ada);
      expect(definition.partitions).toBe(3);
      const ends = (await given.log.admin.offsets(names.ofStream('a.b'))).map(({ end }) => end);
      expect(ends).toEqual([0, 0, 0]);
      await expect.poll(() => two.stream('a.b')).toEqual(definition);
      await two.deleteStream('a.b', nothing, ada);
      expect((await two.createStream({ stream: 'a_b' }, ada)).created).toBe(true);
    });

    it('takes its erasures with it, and leaves those of others', async () => {
      const names = given.names();
      const [one, two] = await given.two(names);
      const erase = async (stream: string, entity: string): Promise<void> => {
        const { created_at } = one.stream(stream)!;
        const erasure = { ...anErasure(entity), stream, stream_created_at: created_at };
        await one.erasures.change(erasureName(stream, erasure.entity_hash), () => erasure, ada);
      };
      for (const stream of ['orders', 'people']) await one.createStream({ stream }, ada);
      for (let n = 0; n < 40; n++) await erase('orders', `entity-${n}`);
      await erase('people', 'ann');
      let standing = 0;
      await one.deleteStream('orders', async () => void (standing = one.erasures.size), ada);
      expect(standing).toBe(41);
      await expect.poll(() => two.erasures.all().map(({ stream }) => stream)).toEqual(['people']);
      expect((await given.started(names)).erasures.size).toBe(1);
    });

    it('removes rows up to a time that no other process can have gone on with it by', async () => {
      const names = given.names();
      const definitions = await given.started(names, { deletionLeaseMs: 10_000 });
      await definitions.createStream({ stream: 'orders' }, ada);
      let bound = 0;
      const removeRows = async (before: number): Promise<void> => void (bound = before / 1000);
      await definitions.deleteStream('orders', removeRows, ada);
      expect(bound).toBeGreaterThan(Date.now());
      expect(bound).toBeLessThan(Date.now() + 5_001);
    });

    it('is shared by those who ask for it at once in one process', async () => {
      const definitions = await given.started(given.names());
      await definitions.createStream({ stream: 'orders' }, ada);
      let removals = 0;
      const removeRows = async (): Promise<void> => void removals++;
      await Promise.all([1, 2, 3].map(() => definitions.deleteStream('orders', removeRows, ada)));
      expect(removals).toBe(1);
    });

    it('is refused to a second process while the first is at it, however long that takes', async () => {
      const names = given.names();
      const [one, two] = [
        await given.started(names, { deletionLeaseMs: 3_000 }),
        await given.started(names, { deletionLeaseMs: 3_000 }),
      ];
      await one.createStream({ stream: 'orders' }, ada);
      const { opened, open } = gate();
      const first = one.deleteStream('orders', () => opened, ada);
      await expect.poll(() => two.stream('orders')?.state).toBe('deleting');
      for (let tries = 0; tries < 16; tries++) {
        const second = two.deleteStream('orders', nothing, ada);
        await expect(second).rejects.toMatchObject({ code: 'stream_being_deleted' });
        await new Promise((resolve) => setTimeout(resolve, 250));
      }
      open();
      await first;
      expect(one.stream('orders')).toBeUndefined();
    });

    it('goes on in another process at once when the first could not do it', async () => {
      const [one, two] = await given.two();
      await one.createStream({ stream: 'orders' }, ada);
      const failure = new Error('no store');
      await expect(one.deleteStream('orders', () => Promise.reject(failure), ada)).rejects.toBe(failure);
      expect(one.stream('orders')?.state).toBe('deleting');
      let removed = false;
      await two.deleteStream('orders', async () => void (removed = true), ada);
      expect(removed).toBe(true);
      expect(two.stream('orders')).toBeUndefined();
    });

    it('goes on in another process some time after the first has died', async () => {
      const names = given.names();
      const dying = await given.started(names, { deletionLeaseMs: 500 });
      await dying.createStream({ stream: 'orders' }, ada);
      const { opened, open } = gate();
      const began = gate();
      const first = dying
        .deleteStream('orders', () => (began.open(), opened), ada)
        .catch((error: unknown) => error);
      await began.opened;
      await dying.close();
      const other = await given.started(names);
      await expect
        .poll(() =>
          other.deleteStream('orders', nothing, ada).then(
            () => 'deleted',
            () => 'refused',
          ),
        )
        .toBe('deleted');
      open();
      expect(await first).toMatchObject({ code: expect.any(String) as string });
    });

    it('of nothing is a stream_not_found', async () => {
      const definitions = await given.started(given.names());
      const missing = { code: 'stream_not_found' };
      await expect(definitions.beginDeletion('none', ada)).rejects.toMatchObject(missing);
      await expect(definitions.deleteStream('none', nothing, ada)).rejects.toMatchObject(missing);
    });
  });
}
