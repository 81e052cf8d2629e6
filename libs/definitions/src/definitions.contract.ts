import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isReservedStream, TopicNames } from '#contracts';
import type { Log, Producer } from '#log';
import type { Definitions } from './definitions.js';
import { definitionsHealth, DefinitionsStoppedError } from './definitions-health.js';
import { systemActor } from './kind.js';
import { openDefinitions } from './open-definitions.js';
import type { StreamDefinition } from './streams/stream-definition.js';

/** What definitions promise on every log. */
export function describeDefinitionsContract(name: string, open: () => Log): void {
  describe(`definitions on ${name}`, () => {
    let log: Log;
    let producer: Producer;
    const prefixes: string[] = [];
    const opened: Definitions[] = [];

    beforeAll(async () => {
      log = open();
      producer = await log.producer();
    });

    afterAll(async () => {
      for (const definitions of opened) await definitions.close();
      for (const prefix of prefixes) {
        for (const topic of await log.admin.list(prefix)) await log.admin.remove(topic);
      }
      await log.close();
    });

    const newNames = (): TopicNames => {
      const prefix = `def.${randomUUID().slice(0, 8)}.`;
      prefixes.push(prefix);
      return new TopicNames(prefix);
    };
    const started = async (names: TopicNames): Promise<Definitions> => {
      const definitions = openDefinitions({ log, names, defaults: { partitions: 2 } });
      opened.push(definitions);
      await definitions.start();
      return definitions;
    };
    const announce = (names: TopicNames, key: string, value: string) =>
      producer.append([{ topic: names.definitions, key, value }]);

    const userStreams = (definitions: Definitions): StreamDefinition[] =>
      definitions.streams().filter(({ stream }) => !isReservedStream(stream));

    it('creates a stream with the defaults: topic, announcement, view', async () => {
      const names = newNames();
      const definitions = await started(names);
      const { definition, created } = await definitions.createStream({ stream: 'orders' }, systemActor);
      expect(created).toBe(true);
      expect(definition).toMatchObject({ stream: 'orders', partitions: 2, retention: 'unlimited' });
      expect(definition.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
      expect(definitions.stream('orders')).toEqual(definition);
      expect(userStreams(definitions)).toEqual([definition]);
      expect(await log.admin.partitions(names.ofStream('orders'))).toBe(2);
    });

    it('says why it is no longer followed, and follows again once it is started again', async () => {
      const names = newNames();
      const [definitions, other] = [await started(names), await started(names)];
      const broken = new Error('broken');
      const remove = definitions.onChange(() => {
        throw broken;
      });
      await other.createStream({ stream: 'a' }, systemActor);
      await expect.poll(() => definitions.failure, { timeout: 10_000 }).toBe(broken);
      expect(() => definitionsHealth(definitions)).toThrow(DefinitionsStoppedError);
      remove();
      await other.createStream({ stream: 'b' }, systemActor);
      await definitions.start();
      expect(definitionsHealth(definitions)).toEqual({ streams: 3, unreadable: 0 });
      await definitions.createStream({ stream: 'c' }, systemActor);
      expect(definitions.stream('c')).toBeDefined();
    });

    it('gives the stream that is there to whoever creates it again', async () => {
      const definitions = await started(newNames());
      const first = await definitions.createStream({ stream: 'a', partitions: 3 }, systemActor);
      const second = await definitions.createStream({ stream: 'a', partitions: 5 }, systemActor);
      expect(second).toEqual({ definition: first.definition, created: false });
    });

    it('shows a stream to every process, also to those that start later', async () => {
      const names = newNames();
      const [one, two] = [await started(names), await started(names)];
      const seen = new Promise<void>((resolve) => {
        const remove = two.onChange(() => (remove(), resolve()));
      });
      const { definition } = await one.createStream(
        {
          stream: 's',
          retention: { time: 'P30D', bytes: 1_000_000 },
        },
        systemActor,
      );
      await seen;
      expect(two.stream('s')).toEqual(definition);
      const late = await started(names);
      expect(userStreams(late)).toEqual([definition]);
    });

    it('gives two creators at once the same definition, and creates it once', async () => {
      const names = newNames();
      const [one, two] = [await started(names), await started(names)];
      const results = await Promise.all([
        one.createStream({ stream: 'race', partitions: 3 }, systemActor),
        two.createStream({ stream: 'race', partitions: 4 }, systemActor),
      ]);
      expect(results.filter(({ created }) => created)).toHaveLength(1);
      expect(results[0].definition).toEqual(results[1].definition);
      expect(await log.admin.partitions(names.ofStream('race'))).toBe(results[0].definition.partitions);
      const late = await started(names);
      expect(late.stream('race')).toEqual(results[0].definition);
    });

    it('shares one creation among calls at once in one process', async () => {
      const definitions = await started(newNames());
      const results = await Promise.all(
        Array.from({ length: 20 }, () => definitions.createStream({ stream: 'shared' }, systemActor)),
      );
      expect(results.filter(({ created }) => created)).toHaveLength(1);
      expect(new Set(results.map(({ definition }) => definition.created_at)).size).toBe(1);
    });

    it('makes up for a creator that died between the topic and its announcement', async () => {
      const names = newNames();
      await log.admin.create(names.ofStream('half'), { partitions: 5 });
      const definitions = await started(names);
      const { definition, created } = await definitions.createStream(
        { stream: 'half', partitions: 3 },
        systemActor,
      );
      expect(created).toBe(true);
      expect(definition.partitions).toBe(5);
    });

    it('refuses a name that collides with that of another stream', async () => {
      const definitions = await started(newNames());
      await definitions.createStream({ stream: 'a.b' }, systemActor);
      await expect(definitions.createStream({ stream: 'a_b' }, systemActor)).rejects.toMatchObject({
        code: 'stream_name_collision',
      });
      const { created } = await definitions.createStream({ stream: 'a-b' }, systemActor);
      expect(created).toBe(true);
    });

    it('lets one of two colliding names win when they are created at once', async () => {
      const names = newNames();
      const [one, two] = [await started(names), await started(names)];
      const results = await Promise.allSettled([
        one.createStream({ stream: 'x.y' }, systemActor),
        two.createStream({ stream: 'x_y' }, systemActor),
      ]);
      const refused = results.filter((result) => result.status === 'rejected');
      expect(refused).toHaveLength(1);
      expect(refused[0]?.reason).toMatchObject({ code: 'stream_name_collision' });
    });

    it.each(['', '_internal', '..', 'a/b', 'ä', 'x'.repeat(201)])('refuses the name %j', async (stream) => {
      const definitions = await started(newNames());
      await expect(definitions.createStream({ stream }, systemActor)).rejects.toMatchObject({
        code: 'invalid_request',
      });
    });

    it('counts records that cannot be read and goes on', async () => {
      const names = newNames();
      const definitions = await started(names);
      await announce(names, 'stream:broken', '{not json');
      await announce(
        names,
        'stream:wrong',
        '{"partitions":0,"retention":"unlimited","created_at":"2026-01-01T00:00:00Z"}',
      );
      await announce(names, 'stream:../../etc', '{}');
      await announce(names, 'nothing', '{}');
      await announce(names, `kind_of_tomorrow:x:0:${randomUUID()}`, '{"any":1}');
      await definitions.createStream({ stream: 'good' }, systemActor);
      expect(definitions.unreadable).toBe(4);
      expect(userStreams(definitions).map(({ stream }) => stream)).toEqual(['good']);
      const late = await started(names);
      expect(late.unreadable).toBe(4);
      expect(late.streams()).toEqual(definitions.streams());
    });

    it('creates many streams at once', async () => {
      const definitions = await started(newNames());
      const wanted = Array.from({ length: 40 }, (_, i) => `many-${i}`);
      const results = await Promise.all(
        wanted.map((stream) => definitions.createStream({ stream, partitions: 1 }, systemActor)),
      );
      expect(results.every(({ created }) => created)).toBe(true);
      expect(userStreams(definitions)).toHaveLength(40);
    });
  });
}
