import { describe, expect, it } from 'vitest';
import { streamNameOf } from '#event';
import { erasureName } from '../erasures/erasure-kind.js';
import { ada, anErasure } from './definition-examples.js';
import { streamsOf, type DefinitionsTestProcesses } from './definitions-test-processes.js';

const nothing = (): Promise<void> => Promise.resolve();

/** Returns a promise and the function that resolves it. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

/** The contract of deletions of streams. */
export function describeDeletion(given: DefinitionsTestProcesses): void {
  describe('deleting a stream', () => {
    it('first sets the state deleting, which every process sees', async () => {
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
      const { id } = (await one.createStream({ stream: 'orders' }, ada)).definition;
      const seen: unknown[] = [];
      const removeRows = async (removed: string): Promise<void> => {
        await expect.poll(() => given.log.admin.partitions(names.ofStream(id))).toBeUndefined();
        seen.push(removed, one.stream('orders')?.state);
      };
      await one.deleteStream('orders', removeRows, ada);
      expect(seen).toEqual([id, 'deleting']);
      expect(one.stream('orders')).toBeUndefined();
      await expect.poll(() => streamsOf(two)).toEqual([]);
      expect(streamsOf(await given.started(names))).toEqual([]);
      await expect(one.deleteStream('orders', nothing, ada)).rejects.toMatchObject({
        code: 'stream_not_found',
      });
    });

    it('frees its name, also for a name that collides with it', async () => {
      const names = given.names();
      const [one, two] = await given.two(names);
      const old = (await one.createStream({ stream: 'a.b', partitions: 1 }, ada)).definition;
      await given.producer.append([{ topic: names.ofStream(old.id), key: 'k', value: 'old' }]);
      await one.deleteStream('a.b', nothing, ada);
      const { definition } = await one.createStream({ stream: 'a.b', partitions: 3 }, ada);
      expect(definition.partitions).toBe(3);
      expect(definition.id).not.toBe(old.id);
      const ends = (await given.log.admin.offsets(names.ofStream(definition.id))).map(({ end }) => end);
      expect(ends).toEqual([0, 0, 0]);
      await expect.poll(() => two.stream('a.b')).toEqual(definition);
      await two.deleteStream('a.b', nothing, ada);
      expect((await two.createStream({ stream: 'a_b' }, ada)).created).toBe(true);
    });

    it('removes its erasures, and keeps those of other streams', async () => {
      const names = given.names();
      const [one, two] = await given.two(names);
      const erase = async (stream: string, entity: string): Promise<void> => {
        const erasure = { ...anErasure(entity), stream: one.stream(stream)!.id };
        await one.erasures.change(erasureName(erasure), () => erasure, ada);
      };
      for (const stream of ['orders', 'people']) await one.createStream({ stream }, ada);
      for (let n = 0; n < 40; n++) await erase('orders', `entity-${n}`);
      await erase('people', 'ann');
      let standing = 0;
      await one.deleteStream('orders', async () => void (standing = one.erasures.size), ada);
      expect(standing).toBe(41);
      await expect
        .poll(() => two.erasures.all().map(({ stream }) => streamNameOf(stream)))
        .toEqual(['people']);
      expect((await given.started(names)).erasures.size).toBe(1);
    });

    it('is shared by concurrent calls in one process', async () => {
      const definitions = await given.started(given.names());
      await definitions.createStream({ stream: 'orders' }, ada);
      let removals = 0;
      const removeRows = async (): Promise<void> => void removals++;
      await Promise.all([1, 2, 3].map(() => definitions.deleteStream('orders', removeRows, ada)));
      expect(removals).toBe(1);
    });

    it('may run in two processes at once: the slower one does not affect a later stream with the same name', async () => {
      const names = given.names();
      const [one, two] = await given.two(names);
      const { definition } = await one.createStream({ stream: 'orders' }, ada);
      const [began, { opened, open }] = [gate(), gate()];
      const removed: string[] = [];
      const slow = one.deleteStream(
        'orders',
        async (id) => {
          began.open();
          await opened;
          removed.push(id);
        },
        ada,
      );
      await began.opened;
      await two.deleteStream('orders', async (id) => void removed.push(id), ada);
      const next = (await two.createStream({ stream: 'orders' }, ada)).definition;
      await given.producer.append([{ topic: names.ofStream(next.id), key: 'k', value: 'new' }]);
      open();
      await slow;
      expect(removed).toEqual([definition.id, definition.id]);
      await expect.poll(() => one.stream('orders')).toEqual(next);
      expect(await given.log.admin.partitions(names.ofStream(next.id))).toBe(next.partitions);
    });

    it('is finished by the stream id: a later stream with the same name remains', async () => {
      const names = given.names();
      const [one, two] = await given.two(names);
      const { id } = (await one.createStream({ stream: 'orders' }, ada)).definition;
      await one.beginDeletion('orders', ada);
      const removed: string[] = [];
      const removeRows = async (row: string): Promise<void> => void removed.push(row);
      await two.deleteStream('orders', removeRows, ada);
      const next = (await two.createStream({ stream: 'orders' }, ada)).definition;
      await one.finishDeletion(id, removeRows, ada);
      expect(removed).toEqual([id]);
      await expect.poll(() => one.stream('orders')).toEqual(next);
      await one.finishDeletion(next.id, removeRows, ada);
      expect(one.stream('orders')).toEqual(next);
    });

    it('of a later stream with the same name is separate from one that still runs', async () => {
      const names = given.names();
      const [one, two] = await given.two(names);
      await one.createStream({ stream: 'orders' }, ada);
      const [began, { opened, open }] = [gate(), gate()];
      const slow = one.deleteStream('orders', () => (began.open(), opened), ada);
      await began.opened;
      await two.deleteStream('orders', nothing, ada);
      const next = (await two.createStream({ stream: 'orders' }, ada)).definition;
      await expect.poll(() => one.stream('orders')).toEqual(next);
      const removed: string[] = [];
      await one.deleteStream('orders', async (id) => void removed.push(id), ada);
      open();
      await slow;
      expect(removed).toEqual([next.id]);
      expect(one.stream('orders')).toBeUndefined();
    });

    it('can continue in another process after the first has failed', async () => {
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

    it('of an unknown stream rejects with stream_not_found', async () => {
      const definitions = await given.started(given.names());
      const missing = { code: 'stream_not_found' };
      await expect(definitions.beginDeletion('none', ada)).rejects.toMatchObject(missing);
      await expect(definitions.deleteStream('none', nothing, ada)).rejects.toMatchObject(missing);
    });
  });
}
