import { pipelineKind } from '#features/pipelines/definition';
import { projectionKind } from '#features/projections/definition';
import { subscriptionKind } from '#features/subscriptions/definition';
import { auditStream } from '#api';
import { streamNameOf, TopicAndGroupNames, type StreamId } from '#event';
import { resourceKinds, openDefinitions, systemActor, type Definitions } from '#registry';
import { MemoryLog } from '#kafka/memory';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { followStreams } from './stream-subscription.js';

describe('followStreams', () => {
  let definitions: Definitions;
  let subscriptions: string[][];
  let failures: unknown[];
  const target = {
    subscribe: async (ids: readonly StreamId[]) => {
      subscriptions.push(ids.map(streamNameOf).filter((stream) => stream !== auditStream));
    },
    failed: (error: unknown) => failures.push(error),
  };

  beforeEach(async () => {
    subscriptions = [];
    failures = [];
    definitions = openDefinitions({
      log: new MemoryLog(),
      names: new TopicAndGroupNames('t.'),
      defaults: { partitions: 1 },
      kinds: [...resourceKinds, projectionKind, pipelineKind, subscriptionKind],
    });
    await definitions.start();
  });

  afterEach(() => definitions.close());

  it('subscribes to the existing streams and to new ones', async () => {
    await definitions.createStream({ stream: 'b' }, systemActor);
    followStreams(definitions, target);
    await definitions.createStream({ stream: 'a' }, systemActor);
    await vi.waitFor(() => expect(subscriptions).toEqual([['b'], ['a', 'b']]), { timeout: 20_000 });
  });

  it('waits for the first stream', async () => {
    followStreams(definitions, target);
    await new Promise(setImmediate);
    expect(subscriptions).toEqual([]);
  });

  it('combines changes that arrive during a subscription', async () => {
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
    await vi.waitFor(() => expect(subscriptions).toEqual([['a'], ['a', 'b', 'c', 'd']]), { timeout: 20_000 });
  });

  it('unsubscribes from a stream when its deletion begins', async () => {
    await definitions.createStream({ stream: 'a' }, systemActor);
    await definitions.createStream({ stream: 'b' }, systemActor);
    followStreams(definitions, target);
    await definitions.beginDeletion('a', systemActor);
    await vi.waitFor(() => expect(subscriptions).toEqual([['a', 'b'], ['b']]), { timeout: 20_000 });
    await definitions.deleteStream('a', async () => undefined, systemActor);
    expect(subscriptions).toHaveLength(2);
  });

  it('subscribes to the new stream when a stream is deleted and recreated', async () => {
    await definitions.createStream({ stream: 'a' }, systemActor);
    let last: readonly StreamId[] = [];
    followStreams(definitions, { ...target, subscribe: async (ids) => void (last = ids) });
    await definitions.deleteStream('a', async () => undefined, systemActor);
    const { definition } = await definitions.createStream({ stream: 'a' }, systemActor);
    await vi.waitFor(() => expect(last).toContain(definition.id), { timeout: 20_000 });
    expect(last.filter((id) => streamNameOf(id) === 'a')).toHaveLength(1);
  });

  it('reports the error of a failed subscription', async () => {
    const error = new Error('closed');
    await definitions.createStream({ stream: 'a' }, systemActor);
    followStreams(definitions, { ...target, subscribe: () => Promise.reject(error) });
    await vi.waitFor(() => expect(failures).toEqual([error]), { timeout: 20_000 });
  });

  it('stops when its returned function is called', async () => {
    followStreams(definitions, target)();
    await definitions.createStream({ stream: 'a' }, systemActor);
    expect(subscriptions).toEqual([]);
  });
});
