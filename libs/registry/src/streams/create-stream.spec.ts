import { describe, expect, it } from 'vitest';
import { TopicNames } from '#event';
import { TopicRefusedError } from '#log';
import { MemoryLog } from '#log/memory';
import { systemActor } from '../kind/kind.js';
import { openDefinitions } from '../open-definitions.js';

describe('creating a stream whose topic Kafka refuses', () => {
  it.each([
    ['name', 'stream_name_collision'],
    ['settings', 'internal_error'],
  ] as const)('for its %s is a %s', async (reason, code) => {
    const log = new MemoryLog();
    const definitions = openDefinitions({ log, names: new TopicNames('t.'), defaults: { partitions: 1 } });
    await definitions.start();
    const create = log.admin.create.bind(log.admin);
    log.admin.create = (topic) => Promise.reject(new TopicRefusedError(topic, { reason }));
    await expect(definitions.createStream({ stream: 'orders' }, systemActor)).rejects.toMatchObject({ code });
    log.admin.create = create;
    expect((await definitions.createStream({ stream: 'orders' }, systemActor)).created).toBe(true);
    await definitions.close();
  });
});
