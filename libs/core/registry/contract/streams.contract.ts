import { describe, expect, it } from 'vitest';
import { LogUnavailableError } from '#kafka';
import { systemActor } from '../resources/resource-store.js';
import { ada } from './definition-examples.js';
import { streamsOf, type DefinitionsTestProcesses } from './definitions-test-processes.js';

/** The contract of streams: their topics, their names and their settings. */
export function describeStreams(given: DefinitionsTestProcesses): void {
  describe('creating a stream', () => {
    it('creates its topic with the defaults, and announces it', async () => {
      const names = given.names();
      const definitions = await given.started(names);
      const { definition, created } = await definitions.createStream({ stream: 'orders' }, ada);
      expect(created).toBe(true);
      expect(definition).toMatchObject({ stream: 'orders', partitions: 2, retention: 'unlimited' });
      expect(definition.state).toBe('live');
      expect(definition.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
      expect(definitions.stream('orders')).toEqual(definition);
      expect(streamsOf(definitions)).toEqual([definition]);
      expect(await given.log.admin.partitions(names.ofStream(definition.id))).toBe(2);
    });

    it('returns the existing stream to a caller that creates it again', async () => {
      const definitions = await given.started(given.names());
      const first = await definitions.createStream({ stream: 'a', partitions: 3 }, ada);
      const second = await definitions.createStream({ stream: 'a', partitions: 5 }, ada);
      expect(second).toEqual({ definition: first.definition, created: false });
    });

    it('makes it visible in every process, also in those that start later', async () => {
      const names = given.names();
      const [one, two] = await given.two(names);
      const retention = { time: 'P30D', bytes: 1_000_000 };
      const { definition } = await one.createStream({ stream: 's', retention }, ada);
      await expect.poll(() => two.stream('s')).toEqual(definition);
      const late = await given.started(names);
      expect(streamsOf(late)).toEqual([definition]);
    });

    it('returns the same definition to two concurrent creators, and creates it once', async () => {
      const names = given.names();
      const [one, two] = await given.two(names);
      const results = await Promise.all([
        one.createStream({ stream: 'race', partitions: 3 }, ada),
        two.createStream({ stream: 'race', partitions: 4 }, ada),
      ]);
      expect(results.filter(({ created }) => created)).toHaveLength(1);
      expect(results[0].definition).toEqual(results[1].definition);
      expect(await given.log.admin.partitions(names.ofStream(results[0].definition.id))).toBe(
        results[0].definition.partitions,
      );
      const late = await given.started(names);
      expect(late.stream('race')).toEqual(results[0].definition);
    });

    it('is shared by concurrent calls in one process', async () => {
      const definitions = await given.started(given.names());
      const calls = Array.from({ length: 20 }, () => definitions.createStream({ stream: 'shared' }, ada));
      const results = await Promise.all(calls);
      expect(results.filter(({ created }) => created)).toHaveLength(1);
      expect(new Set(results.map(({ definition }) => definition.created_at)).size).toBe(1);
    });

    it('continues after a creator crashed before the topic existed; the stream is not visible until then', async () => {
      const names = given.names();
      const dying = await given.started(names);
      const create = given.log.admin.create.bind(given.log.admin);
      given.log.admin.create = () => Promise.reject(new LogUnavailableError('gone'));
      const failed = dying.createStream({ stream: 'half', partitions: 5 }, ada);
      await expect(failed).rejects.toMatchObject({ code: 'log_unavailable' });
      given.log.admin.create = create;
      const definitions = await given.started(names);
      expect([definitions.stream('half'), streamsOf(definitions)]).toEqual([undefined, []]);
      const missing = { code: 'stream_not_found' };
      await expect(definitions.beginDeletion('half', ada)).rejects.toMatchObject(missing);
      const { definition, created } = await definitions.createStream({ stream: 'half', partitions: 3 }, ada);
      // The stream does not have the requested settings, so the result is not `created: true`.
      expect([created, definition.partitions]).toEqual([false, 5]);
      expect(await given.log.admin.partitions(names.ofStream(definition.id))).toBe(5);
      expect((await given.audited(names)).map(({ event_type }) => event_type)).toEqual(
        Array<string>(2).fill('stream.created'),
      );
    });

    it('works for many streams at once', async () => {
      const definitions = await given.started(given.names());
      const wanted = Array.from({ length: 40 }, (_, i) => `many-${i}`);
      const results = await Promise.all(
        wanted.map((stream) => definitions.createStream({ stream, partitions: 1 }, ada)),
      );
      expect(results.every(({ created }) => created)).toBe(true);
      expect(streamsOf(definitions)).toHaveLength(40);
    });

    it('is rejected at the limit of streams', async () => {
      const definitions = await given.started(given.names(), { most: { stream: 2 } });
      await definitions.createStream({ stream: 'first' }, ada);
      // The second stream is the audit stream.
      const third = definitions.createStream({ stream: 'second' }, ada);
      await expect(third).rejects.toMatchObject({ code: 'stream_limit_reached' });
      expect((await definitions.createStream({ stream: 'first' }, ada)).created).toBe(false);
    });
  });

  describe('the name of a stream', () => {
    it('is rejected if it collides with that of another stream', async () => {
      const definitions = await given.started(given.names());
      await definitions.createStream({ stream: 'a.b' }, ada);
      const colliding = definitions.createStream({ stream: 'a_b' }, ada);
      await expect(colliding).rejects.toMatchObject({
        code: 'stream_name_collision',
        message: expect.not.stringContaining('a.b') as string,
      });
      expect(definitions.stream('a_b')).toBeUndefined();
      expect((await definitions.createStream({ stream: 'a-b' }, ada)).created).toBe(true);
    });

    it('is given to one of two concurrent creators with colliding names', async () => {
      const [one, two] = await given.two();
      const results = await Promise.allSettled([
        one.createStream({ stream: 'x.y' }, ada),
        two.createStream({ stream: 'x_y' }, ada),
      ]);
      const refused = results.filter((result) => result.status === 'rejected');
      expect(refused).toHaveLength(1);
      expect(refused[0]?.reason).toMatchObject({ code: 'stream_name_collision' });
    });

    it.each(['', '_internal', '..', 'a/b', 'ä', 'x'.repeat(201)])('cannot be %j', async (stream) => {
      const definitions = await given.started(given.names());
      const creation = definitions.createStream({ stream }, ada);
      await expect(creation).rejects.toMatchObject({ code: 'invalid_request' });
    });

    it.each(['tributary.audit', 'tributary.mine', 'tributary_audit', 'tributary_'])(
      'cannot be %s, for any actor',
      async (stream) => {
        const definitions = await given.started(given.names());
        for (const actor of [ada, systemActor]) {
          const refused = (call: Promise<unknown>) =>
            expect(call).rejects.toMatchObject({ code: 'stream_reserved' });
          await refused(definitions.createStream({ stream }, actor));
          await refused(definitions.changeStream(stream, (current) => current, actor));
          await refused(definitions.beginDeletion(stream, actor));
          await refused(definitions.deleteStream(stream, () => Promise.resolve(), actor));
        }
      },
    );
  });

  describe('the retention of a stream', () => {
    it('can be changed, and reset to unlimited, in every process', async () => {
      const names = given.names();
      const [one, two] = await given.two(names);
      const { definition } = await one.createStream({ stream: 'orders' }, ada);
      for (const retention of [{ time: '30d' }, { time: 'PT12H', bytes: 5_000_000 }, 'unlimited'] as const) {
        const changed = await one.changeStream('orders', (current) => ({ ...current, retention }), ada);
        expect(changed).toEqual({ ...definition, retention });
        await expect.poll(() => two.stream('orders')).toEqual(changed);
      }
    });

    it('is the only setting that changes', async () => {
      const definitions = await given.started(given.names());
      const { definition } = await definitions.createStream({ stream: 'orders' }, ada);
      const other = {
        stream: 'b',
        id: 'b#1',
        partitions: 9,
        created_at: 'x',
        state: 'deleting',
        retention: { bytes: 1 },
      } as const;
      const changed = await definitions.changeStream('orders', () => other, ada);
      expect(changed).toEqual({ ...definition, retention: { bytes: 1 } });
    });

    it('cannot be changed for an unknown stream, or to an invalid time', async () => {
      const definitions = await given.started(given.names());
      const missing = definitions.changeStream('none', (current) => current, ada);
      await expect(missing).rejects.toMatchObject({ code: 'stream_not_found' });
      const { definition } = await definitions.createStream({ stream: 'orders' }, ada);
      const next = (current: typeof definition) => ({ ...current, retention: { time: 'soon' } });
      await expect(definitions.changeStream('orders', next, ada)).rejects.toMatchObject({
        code: 'invalid_request',
      });
      expect(definitions.stream('orders')).toEqual(definition);
    });
  });

  describe('the placement of a stream', () => {
    it('is what the first of two concurrent callers asks for, in every process and after a change', async () => {
      const names = given.names();
      const [one, two] = await given.two(names);
      const { definition } = await one.createStream({ stream: 'orders' }, ada);
      const placed = await Promise.all([one.shardsOf(definition.id, 2), two.shardsOf(definition.id, 3)]);
      expect(placed[0]).toBe(placed[1]);
      await one.changeStream('orders', (current) => ({ ...current, retention: { bytes: 1 } }), ada);
      const late = await given.started(names);
      expect(await late.shardsOf(definition.id, 7)).toBe(placed[0]);
      expect((await given.audited(names)).map(({ event_type }) => event_type)).toEqual([
        'stream.created',
        'stream.created',
        'stream.changed',
      ]);
    });

    it('does not pass to a later stream with its name', async () => {
      const definitions = await given.started(given.names());
      const first = (await definitions.createStream({ stream: 'orders' }, ada)).definition.id;
      await definitions.shardsOf(first, 2);
      await definitions.deleteStream('orders', async () => undefined, ada);
      await expect(definitions.shardsOf(first, 2)).rejects.toMatchObject({ code: 'stream_not_found' });
      const second = (await definitions.createStream({ stream: 'orders' }, ada)).definition.id;
      await expect(definitions.shardsOf(first, 2)).rejects.toMatchObject({ code: 'stream_not_found' });
      expect(await definitions.shardsOf(second, 3)).toBe(3);
    });
  });
}
