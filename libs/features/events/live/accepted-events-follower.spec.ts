import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { allStreams } from '#api';
import { TopicAndGroupNames, type StoredEvent } from '#event';
import type { StreamDefinition } from '#registry';
import { createLogger } from '#telemetry';
import { until } from '#testkit';
import { AcceptedEventsFollower } from './accepted-events-follower.js';
import type { AcceptedEventsSink } from './accepted-events-reader.js';
import { LiveFilter } from './live-filter.js';
import { streamKey } from './live-position.js';
import { SameFilterLiveStreams, type LiveMessagesListener } from './same-filter-live-streams.js';

const topics = new TopicAndGroupNames('spec.');
const forever = new AbortController().signal;
const logger = createLogger({ name: 'spec', level: 'silent' });
const key = streamKey('orders#1');
const pageOf = (from: number, next: number) => ({
  ...{ key, stream: 'orders', partition: 0, next },
  events: Array.from({ length: next - from }, (_, i) => eventAt(from + i)),
});

function eventAt(offset: number): StoredEvent {
  const time = '2026-11-27T00:00:00.000000Z';
  return {
    ...{ event_id: `id-${offset}`, stream: 'orders', event_type: 't', entity_id: null, version: null },
    ...{ timestamp: time, ingested_at: time, data: '{}', metadata: '{}', schema_version: null },
    ...{ partition: 0, offset },
  };
}

/** Receives the messages of a group, until the group fails. */
class Listener implements LiveMessagesListener {
  text = '';
  failure: Error | undefined;

  take({ bytes }: { bytes: Buffer }): void {
    this.text += bytes.toString();
  }

  fail(error: Error): void {
    this.failure = error;
  }

  get offsets(): number[] {
    return [...this.text.matchAll(/"offset":(\d+)/g)].map(([, offset]) => Number(offset));
  }
}

let sinks: AcceptedEventsSink[];
let subscribed: string[][];
let reassigned: string[];
let streams: string[];
let stopped: number;
let follower: AcceptedEventsFollower;
/** Returns a follower with a limit, in milliseconds, for a group that joins. */
let followerThatWaits: (joinMs: number) => AcceptedEventsFollower;
let group: SameFilterLiveStreams;

beforeEach(() => {
  [sinks, subscribed, reassigned, stopped, streams] = [[], [], [], 0, ['orders']];
  const settings = { partitions: 1, retention: 'unlimited', created_at: '', state: 'live' };
  const definitions = {
    streams: () => streams.map((stream) => ({ ...settings, stream, id: `${stream}#1` }) as StreamDefinition),
    onChange: () => () => undefined,
  };
  const reader = {
    read: (sink: AcceptedEventsSink) => {
      sinks.push(sink);
      return {
        subscribe: async (names: readonly string[]) => void subscribed.push([...names]),
        reassign: (topic: string) => void reassigned.push(topic),
        stop: async () => void stopped++,
      };
    },
  };
  const admin = {
    committedIn: () => Promise.resolve(new Map([[topics.ofStream('orders#1'), new Map([[0, 5]])]])),
  };
  followerThatWaits = (joinMs) =>
    new AcceptedEventsFollower(reader as never, { admin }, definitions, topics, logger, {
      joinMs,
      retryMs: 1,
    });
  follower = followerThatWaits(60_000);
  group = new SameFilterLiveStreams(new LiveFilter({ access: allStreams }));
});
afterEach(async () => {
  follower.leave(group);
  // The reader is stopped in the next turn.
  await nextTurn();
});

const open = (committed: number, end: number, beginning = 0) =>
  sinks.at(-1)!.opened({ key, partition: 0, committed, beginning, end });

async function joined(next: number): Promise<Listener> {
  const joining = follower.join(group, forever);
  open(next, next);
  await joining;
  const listener = new Listener();
  group.listeners.add(listener);
  return listener;
}

describe('the follower of accepted events', () => {
  it('lets a group begin at the end that the log had', async () => {
    const joining = follower.join(group, forever);
    expect(open(3, 6)).toBe(3);
    await sinks[0]!.deliver(pageOf(3, 5));
    expect(group.cursor).toBeUndefined();
    await sinks[0]!.deliver(pageOf(5, 7));
    expect((await joining).at(key, 0)).toBe(7);
  });

  it('lets a group begin before the end of the log after a while', async () => {
    follower = followerThatWaits(100);
    const joining = follower.join(group, forever);
    open(3, 1_000);
    expect((await joining).at(key, 0)).toBe(3);
  });

  it('refuses a group while the log cannot be read', async () => {
    follower = followerThatWaits(100);
    await expect(follower.join(group, forever)).rejects.toMatchObject({ code: 'log_unavailable' });
  });

  it('starts again after a failure, where it has delivered, and ignores the reader that failed', async () => {
    const listener = await joined(3);
    const [first] = sinks;
    await first!.deliver(pageOf(3, 5));
    first!.failed(new Error('broken'));
    await until(() => sinks.length === 2, { what: 'another reader' });
    expect([stopped, subscribed.length]).toEqual([1, 2]);
    expect(open(3, 9)).toBe(5);
    await first!.deliver(pageOf(5, 7));
    await sinks[1]!.deliver(pageOf(3, 6));
    expect(listener.offsets).toEqual([3, 4, 5]);
  });

  it('delivers an event once if a partition is opened again while its page waits', async () => {
    const listener = await joined(3);
    const [sink] = sinks;
    await Promise.all([
      sink!.deliver(pageOf(3, 5)),
      sink!.deliver(pageOf(3, 6)),
      sink!.deliver(pageOf(4, 6)),
    ]);
    expect(listener.offsets).toEqual([3, 4, 5]);
    expect(group.cursor!.at(key, 0)).toBe(6);
  });

  it('ends the live streams that would miss records which Kafka has deleted', async () => {
    const listener = await joined(3);
    expect(open(9, 12, 8)).toBe(8);
    expect(listener.failure).toMatchObject({ code: 'overloaded' });
    expect(group.cursor!.at(key, 0)).toBe(8);
  });

  it('says which offsets the store has', async () => {
    await joined(3);
    const range = { key, partition: 0, from: 3, until: 9 };
    expect(await follower.stored([range, { ...range, from: 5 }])).toEqual([{ ...range, until: 5 }]);
  });

  it('reads anew for a group that joins right after the last one has left', async () => {
    await joined(3);
    const [former] = sinks;
    follower.leave(group);
    group = new SameFilterLiveStreams(new LiveFilter({ access: allStreams }));
    const listener = await joined(7);
    expect([sinks.length, stopped]).toEqual([2, 1]);
    expect(former!.opened({ key, partition: 0, committed: 4, beginning: 0, end: 4 })).toBe(4);
    await former!.deliver(pageOf(3, 9));
    await sinks[1]!.deliver(pageOf(7, 8));
    expect(listener.offsets).toEqual([7]);
  });

  it('opens a stream again for a group that joins right after the last one of this stream has left', async () => {
    streams = ['orders', 'others'];
    const others = new SameFilterLiveStreams(new LiveFilter({ access: allStreams, streams: ['others'] }));
    const staying = follower.join(others, forever);
    sinks[0]!.opened({ key: streamKey('others#1'), partition: 0, committed: 1, beginning: 0, end: 1 });
    await staying;
    const ofOrders = () =>
      new SameFilterLiveStreams(new LiveFilter({ access: allStreams, streams: ['orders'] }));
    group = ofOrders();
    await joined(3);
    expect(reassigned).toEqual([]);
    follower.leave(group);
    await nextTurn();
    group = ofOrders();
    const joining = follower.join(group, forever);
    expect([reassigned, sinks.length]).toEqual([[topics.ofStream('orders#1')], 1]);
    open(7, 7);
    expect((await joining).at(key, 0)).toBe(7);
    follower.leave(others);
  });

  it('stops reading when the last group leaves', async () => {
    await joined(3);
    follower.leave(group);
    await until(() => stopped === 1, { what: 'the end of the reader' });
  });
});
