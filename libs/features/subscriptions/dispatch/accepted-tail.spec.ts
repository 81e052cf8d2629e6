import { afterEach, describe, expect, it, vi } from 'vitest';
import type { StoredEvent, StreamId } from '#event';
import { streamKey, type AcceptedEventsReader } from '#features/events';
import { AcceptedTail, type TailFollower } from './accepted-tail.js';

type Sink = Parameters<AcceptedEventsReader['read']>[0];

const source: StreamId = 'orders#0000000001';
const topic = 'events.orders.0000000001';
const event = (offset: number, size = 2): StoredEvent =>
  ({ stream: 'orders', partition: 0, offset, data: 'x'.repeat(size), metadata: '' }) as StoredEvent;

/** A tail whose reader is given pages by hand. */
class GivenTail {
  sink: Sink | undefined;
  topics: (readonly string[])[] = [];
  readonly stored = new Map([[topic, new Map([[0, 0]])]]);
  readonly moved = vi.fn();
  readonly tail = new AcceptedTail({
    reader: {
      read: (sink) => {
        this.sink = sink;
        return {
          subscribe: (topics) => Promise.resolve(void this.topics.push(topics)),
          reassign: () => undefined,
          stop: () => Promise.resolve(),
        };
      },
    },
    progress: { offsets: this.stored },
    logger: { warn: () => undefined },
  });

  follower(more: Partial<TailFollower> = {}): TailFollower {
    const moved = this.moved;
    return { moved, topics: () => new Map([[topic, 2]]), sources: () => new Map([[source, topic]]), ...more };
  }

  open(committed: number): void {
    this.sink!.opened({ key: streamKey(source), partition: 0, committed, beginning: 0, end: committed });
  }

  async page(next: number, events: StoredEvent[]): Promise<void> {
    await this.sink!.deliver({ key: streamKey(source), stream: 'orders', partition: 0, events, next });
  }

  offsetsAfter(offset: number): number[] {
    return this.tail.after(source, 0, offset).flatMap(({ events }) => events.map((one) => one.offset));
  }
}

afterEach(() => void vi.useRealTimers());

describe('the tail of accepted events', () => {
  it('has what follows an offset without a gap, and nothing for one before its first page', async () => {
    const given = new GivenTail();
    given.tail.follow(given.follower());
    given.open(10);
    await given.page(12, [event(10), event(11)]);
    await given.page(15, [event(13)]);
    expect(given.moved).toHaveBeenCalledTimes(2);
    expect(given.offsetsAfter(10)).toEqual([10, 11, 13]);
    expect(given.offsetsAfter(12)).toEqual([13]);
    expect(given.offsetsAfter(15)).toEqual([]);
    expect(given.offsetsAfter(9)).toEqual([]);
    expect(given.tail.find([source, 0, 13])?.offset).toBe(13);
    expect(given.tail.find([source, 0, 12])).toBeUndefined();
  });

  it('forgets the pages of a partition that is opened again', async () => {
    const given = new GivenTail();
    given.tail.follow(given.follower());
    given.open(0);
    await given.page(5, [event(0)]);
    given.open(8);
    await given.page(9, [event(8)]);
    expect(given.offsetsAfter(5)).toEqual([]);
    expect(given.offsetsAfter(8)).toEqual([8]);
  });

  it('forgets what is stored, and beyond its limit also what is not', async () => {
    const given = new GivenTail();
    given.tail.follow(given.follower());
    given.open(0);
    await given.page(1, [event(0)]);
    given.stored.get(topic)!.set(0, 1);
    await given.page(2, [event(1)]);
    expect(given.offsetsAfter(0)).toEqual([]);
    expect(given.offsetsAfter(1)).toEqual([1]);
    for (let offset = 2; offset < 20; offset++) await given.page(offset + 1, [event(offset, 1024 * 1024)]);
    const [first, ...rest] = given.tail.after(source, 0, 19);
    expect([first?.next, rest]).toEqual([20, []]);
    expect(given.offsetsAfter(2)).toEqual([]);
  });

  it('reads a stream for a while after nobody follows it, and then no more', () => {
    vi.useFakeTimers();
    const given = new GivenTail();
    const unfollow = given.tail.follow(given.follower());
    const other: StreamId = 'refunds#0000000002';
    given.tail.follow(
      given.follower({ sources: () => new Map([[other, 'other']]), topics: () => new Map([['other', 1]]) }),
    );
    unfollow();
    vi.advanceTimersByTime(10_000);
    expect(given.topics.at(-1)).toEqual([topic, 'other']);
    vi.advanceTimersByTime(40_000);
    expect(given.topics.at(-1)).toEqual(['other']);
  });

  it('leaves streams to the store whose partitions would be too many', () => {
    const given = new GivenTail();
    given.tail.follow(given.follower());
    const many = {
      sources: () => new Map<StreamId, string>([['large#0000000003', 'large']]),
      topics: () => new Map([['large', 511]]),
    };
    given.tail.follow(given.follower(many));
    expect(given.topics).toEqual([[topic]]);
  });
});
