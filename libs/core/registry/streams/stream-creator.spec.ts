import { pipelineKind } from '#features/pipelines/definition';
import { projectionKind } from '#features/projections/definition';
import { subscriptionKind } from '#features/subscriptions/definition';
import { describe, expect, it } from 'vitest';
import { TopicAndGroupNames } from '#event';
import { LogUnavailableError, TopicRejectedError } from '#kafka';
import { MemoryLog } from '#kafka/memory';
import { systemActor } from '../resources/resource-store.js';
import { resourceKinds } from '../resource-kinds.js';
import { openDefinitions } from '../definitions.js';

describe('creating a stream whose topic Kafka rejects', () => {
  it.each([
    ['name', 'stream_name_collision'],
    ['settings', 'internal_error'],
  ] as const)('because of its %s fails with %s', async (reason, code) => {
    const log = new MemoryLog();
    const definitions = openDefinitions({
      log,
      names: new TopicAndGroupNames('t.'),
      defaults: { partitions: 1 },
      kinds: [...resourceKinds, projectionKind, pipelineKind, subscriptionKind],
    });
    await definitions.start();
    const create = log.admin.create.bind(log.admin);
    log.admin.create = (topic) => Promise.reject(new TopicRejectedError(topic, { reason }));
    await expect(definitions.createStream({ stream: 'orders' }, systemActor)).rejects.toMatchObject({ code });
    log.admin.create = create;
    expect((await definitions.createStream({ stream: 'orders' }, systemActor)).created).toBe(true);
    await definitions.close();
  });
});

describe('two concurrent creators of one stream with different settings', () => {
  it('receive created: true only if the stream has their settings', async () => {
    const [log, names] = [new MemoryLog(), new TopicAndGroupNames('t.')];
    const open = () =>
      openDefinitions({
        log,
        names,
        defaults: { partitions: 1 },
        kinds: [...resourceKinds, projectionKind, pipelineKind, subscriptionKind],
      });
    const [one, two] = [open(), open()];
    for (const definitions of [one, two]) await definitions.start();
    const create = log.admin.create.bind(log.admin);
    let goOn: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    let calls = 0;
    // The first of two concurrent creators has written the definition, and is slow to create the topic.
    log.admin.create = async (topic, settings) => {
      if (calls++ === 0) await held;
      return create(topic, settings);
    };
    const first = one.createStream({ stream: 'orders', partitions: 2 }, systemActor);
    await expect.poll(() => calls).toBe(1);
    const second = await two.createStream({ stream: 'orders', partitions: 8 }, systemActor);
    goOn();
    expect([second.created, second.definition.partitions]).toEqual([false, 2]);
    expect(await first).toMatchObject({ created: true, definition: { partitions: 2 } });
    for (const definitions of [one, two]) await definitions.close();
  });

  it('can create it after a first attempt that failed before its topic existed', async () => {
    const log = new MemoryLog();
    const definitions = openDefinitions({
      log,
      names: new TopicAndGroupNames('t.'),
      defaults: { partitions: 1 },
      kinds: [...resourceKinds, projectionKind, pipelineKind, subscriptionKind],
    });
    await definitions.start();
    const create = log.admin.create.bind(log.admin);
    log.admin.create = () => Promise.reject(new LogUnavailableError('Kafka is away'));
    await expect(definitions.createStream({ stream: 'orders' }, systemActor)).rejects.toThrow();
    log.admin.create = create;
    expect((await definitions.createStream({ stream: 'orders' }, systemActor)).created).toBe(true);
    await definitions.close();
  });
});
