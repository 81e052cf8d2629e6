import { describe, expect, it } from 'vitest';
import { ProblemError } from '#api';
import { TopicAndGroupNames, type StreamId } from '#event';
import type { StreamDefinition } from '#registry';
import { LogUnavailableError } from '#kafka';
import { type ConsistencyLimits, ConsistencyTokenWaiter } from './consistency-tokens.js';

const topics = new TopicAndGroupNames('t.');
const forever = new AbortController().signal;

describe('waiting for positions', () => {
  it('resolves when the materializer has passed all of them', async () => {
    const world = new ConsistencyTokenTestBed();
    const waiting = world.waitFor().reached([at('orders', 0, 3), at('orders', 1, 7)], forever);
    world.commit('orders', 0, 4);
    world.commit('orders', 1, 8);
    await waiting;
  });

  it('resolves at once without positions', async () => {
    await new ConsistencyTokenTestBed().waitFor().reached([], forever);
  });

  it('rejects with 504 when a position is not reached in time', async () => {
    const world = new ConsistencyTokenTestBed();
    world.commit('orders', 0, 4);
    const waiting = world
      .waitFor({ timeoutMs: 5 })
      .reached([at('orders', 0, 3), at('orders', 1, 0)], forever);
    await expect(waiting).rejects.toMatchObject({ code: 'not_yet_materialized', status: 504 });
  });

  it('rejects with 404 for a stream that remains unknown', async () => {
    const waiting = new ConsistencyTokenTestBed().waitFor().reached([at('nowhere', 0, 0)], forever);
    await expect(waiting).rejects.toMatchObject({ code: 'stream_not_found', status: 404 });
  });

  it('continues with a stream that becomes known while it waits', async () => {
    const world = new ConsistencyTokenTestBed();
    const waiting = world.waitFor({ unknownStreamMs: 60_000 }).reached([at('new', 0, 0)], forever);
    world.announce('new', 1);
    world.commit('new', 0, 1);
    await waiting;
  });

  it('forgets the committed offsets of a deleted stream of the same name', async () => {
    const world = new ConsistencyTokenTestBed();
    const tokens = world.waitFor({ timeoutMs: 50 });
    world.commit('orders', 0, 100);
    await tokens.reached([at('orders', 0, 99)], forever);
    world.announce('orders', 2, 'orders#2');
    world.commit('orders', 0, 1);
    await tokens.reached([at('orders', 0, 0)], forever);
    await expect(tokens.reached([at('orders', 0, 3)], forever)).rejects.toMatchObject({
      code: 'not_yet_materialized',
    });
  });

  it('rejects with 400 for a partition that the stream does not have', async () => {
    const waiting = new ConsistencyTokenTestBed().waitFor().reached([at('orders', 2, 0)], forever);
    await expect(waiting).rejects.toMatchObject({
      code: 'invalid_request',
      options: { errors: [{ pointer: 'wait_for' }] },
    });
  });

  it('does not apply the commits of a deleted stream to a new stream of the same name', async () => {
    const world = new ConsistencyTokenTestBed();
    world.commit('orders', 0, 5);
    world.announce('orders', 2, 'orders#2');
    const waiting = world.waitFor({ timeoutMs: 20 }).reached([at('orders', 0, 0)], forever);
    await expect(waiting).rejects.toMatchObject({ code: 'not_yet_materialized' });
  });

  it('rejects with 503 when the log cannot be reached', async () => {
    const world = new ConsistencyTokenTestBed();
    world.failure = new LogUnavailableError('down');
    const waiting = world.waitFor().reached([at('orders', 0, 0)], forever);
    await expect(waiting).rejects.toMatchObject({ code: 'log_unavailable', status: 503 });
  });

  it('ends when the client disconnects', async () => {
    const client = new AbortController();
    const waiting = new ConsistencyTokenTestBed()
      .waitFor()
      .reached([at('orders', 0, 0), at('other', 0, 0)], client.signal);
    client.abort(new ProblemError('request_timeout', 'gone'));
    await expect(waiting).rejects.toThrow('gone');
    await expect(
      new ConsistencyTokenTestBed().waitFor().reached([at('orders', 0, 0)], client.signal),
    ).rejects.toThrow('gone');
  });

  it('waits for another consumer group if one is named', async () => {
    const world = new ConsistencyTokenTestBed();
    const tokens = world.waitFor({ timeoutMs: 20 });
    world.commit('orders', 0, 4);
    const waiting = tokens.reached([at('orders', 0, 3)], forever, 'g');
    await expect(waiting).rejects.toMatchObject({ code: 'not_yet_materialized' });
    world.commitOf('g', at('orders', 0, 4));
    await tokens.reached([at('orders', 0, 3)], forever, 'g');
    world.commitOf('g', at('orders', 1, 9));
    await expect(tokens.reached([at('orders', 1, 8)], forever)).rejects.toMatchObject({
      code: 'not_yet_materialized',
    });
  });

  it('removes the watch of a group when nobody waits for it', async () => {
    const world = new ConsistencyTokenTestBed();
    const tokens = world.waitFor();
    world.commitOf('g', at('orders', 0, 4));
    await tokens.reached([at('orders', 0, 3), at('orders', 0, 2)], forever, 'g');
    world.commitOf('g', at('orders', 0, 0));
    const polls = world.polls;
    await expect(tokens.reached([at('orders', 0, 3)], client(5), 'g')).rejects.toThrow();
    expect(world.polls).toBeGreaterThan(polls);
  });

  it('limits the number of waiters, and releases their slots', async () => {
    const world = new ConsistencyTokenTestBed();
    const tokens = world.waitFor({ maxWaiters: 2 });
    const two = tokens.reached([at('orders', 0, 0), at('orders', 1, 0)], forever);
    await expect(tokens.reached([at('orders', 0, 0)], forever)).rejects.toMatchObject({
      code: 'overloaded',
    });
    world.commit('orders', 0, 1);
    world.commit('orders', 1, 1);
    await two;
    await tokens.reached([at('orders', 0, 0)], forever);
  });
});

function at(stream: string, partition: number, offset: number) {
  return { stream, partition, offset };
}

/** Returns the signal of a client that disconnects after this time. */
function client(afterMs: number): AbortSignal {
  return AbortSignal.timeout(afterMs);
}

/** Streams and commits that a spec sets. `orders` has two partitions. */
class ConsistencyTokenTestBed {
  readonly flushes = { ask: () => undefined };
  failure: Error | undefined;
  private readonly streams = new Map<string, StreamDefinition>();
  polls = 0;
  private readonly offsets = new Map<string, Map<number, number>>();
  private readonly listeners = new Set<() => void>();

  constructor() {
    this.announce('orders', 2);
  }

  waitFor(bounds: Partial<ConsistencyLimits> = {}): ConsistencyTokenWaiter {
    const quick = { timeoutMs: 60_000, unknownStreamMs: 5, pollMs: 1 };
    return new ConsistencyTokenWaiter({ admin: this }, this, topics, this.flushes, { ...quick, ...bounds });
  }

  announce(stream: string, partitions: number, id: StreamId = `${stream}#1`): void {
    const definition = { retention: 'unlimited', created_at: '', state: 'live' } as const;
    this.streams.set(stream, { stream, id, partitions, ...definition });
    this.listeners.forEach((listener) => listener());
  }

  commit(stream: string, partition: number, offset: number): void {
    this.commitOf(topics.materializerGroup, at(stream, partition, offset));
  }

  commitOf(group: string, { stream, partition, offset }: ReturnType<typeof at>): void {
    const key = `${group} ${topics.ofStream(this.streams.get(stream)?.id ?? `${stream}#0`)}`;
    this.offsets.set(key, new Map(this.offsets.get(key)).set(partition, offset));
  }

  stream(name: string): StreamDefinition | undefined {
    return this.streams.get(name);
  }

  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async committed(group: string, topic: string): Promise<Map<number, number>> {
    if (this.failure) throw this.failure;
    this.polls++;
    return this.offsets.get(`${group} ${topic}`) ?? new Map();
  }
}
