import { auditStream, TopicNames } from '#contracts';
import { openDefinitions, systemActor, type Definitions } from '#definitions';
import { MemoryLog } from '#log';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { followStreams } from './stream-subscription.js';

describe('followStreams', () => {
  let definitions: Definitions;
  let subscriptions: string[][];
  let failures: unknown[];
  const target = {
    subscribe: async (streams: readonly string[]) => {
      subscriptions.push(streams.filter((stream) => stream !== auditStream));
    },
    failed: (error: unknown) => failures.push(error),
  };

  beforeEach(async () => {
    subscriptions = [];
    failures = [];
    definitions = openDefinitions({
      log: new MemoryLog(),
      names: new TopicNames('t.'),
      defaults: { partitions: 1 },
    });
    await definitions.start();
  });

  afterEach(() => definitions.close());

  it('subscribes to the streams there are, and to those that come', async () => {
    await definitions.createStream({ stream: 'b' }, systemActor);
    followStreams(definitions, target);
    await definitions.createStream({ stream: 'a' }, systemActor);
    await vi.waitFor(() => expect(subscriptions).toEqual([['b'], ['a', 'b']]));
  });

  it('waits for the first stream', async () => {
    followStreams(definitions, target);
    await new Promise(setImmediate);
    expect(subscriptions).toEqual([]);
  });

  it('takes changes together that come while a subscription is under way', async () => {
    let finish: () => void = () => undefined;
    await definitions.createStream({ stream: 'a' }, systemActor);
    followStreams(definitions, {
      ...target,
      subscribe: async (streams) => {
        await target.subscribe(streams);
        if (subscriptions.length === 1) await new Promise<void>((resolve) => (finish = resolve));
      },
    });
    for (const stream of ['b', 'c', 'd']) await definitions.createStream({ stream }, systemActor);
    finish();
    await vi.waitFor(() => expect(subscriptions).toEqual([['a'], ['a', 'b', 'c', 'd']]));
  });

  it('hands on why a subscription failed', async () => {
    const error = new Error('closed');
    await definitions.createStream({ stream: 'a' }, systemActor);
    followStreams(definitions, { ...target, subscribe: () => Promise.reject(error) });
    await vi.waitFor(() => expect(failures).toEqual([error]));
  });

  it('ends when told to', async () => {
    followStreams(definitions, target)();
    await definitions.createStream({ stream: 'a' }, systemActor);
    expect(subscriptions).toEqual([]);
  });
});
