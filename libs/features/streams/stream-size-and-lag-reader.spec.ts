import { describe, expect, it } from 'vitest';
import { TopicAndGroupNames, type StreamId } from '#event';
import { LogUnavailableError } from '#kafka';
import { MaterializerLagReader } from '#features/health';
import { StreamSizeAndLagReader } from './stream-size-and-lag-reader.js';

const topics = new TopicAndGroupNames('t.');
const orders = { id: 'orders#1' as StreamId };
const users = { id: 'users#1' as StreamId };

/** A log with two streams: `orders` has ten records, of which queries contain four. */
function givenUsage(bytesIn: () => Promise<Map<string, number>>) {
  const [topic] = [orders, users].map(({ id }) => topics.ofStream(id)) as [string];
  const admin = {
    bytesIn,
    offsetsIn: async () => new Map([[topic, [{ partition: 0, beginning: 0, end: 10 }]]]),
    committedIn: async () => new Map([[topic, new Map([[0, 4]])]]),
  };
  const streams = [orders, users].map((one) => ({ ...one, partitions: 1, state: 'live' }));
  const definitions = { streams: () => streams } as never;
  const lag = new MaterializerLagReader({ admin }, definitions, topics);
  return { topic, usage: new StreamSizeAndLagReader({ admin }, definitions, lag, topics) };
}

describe('the usage of the log', () => {
  it('has the bytes and the lag of each stream; null for a stream that the log does not know', async () => {
    const { usage, topic } = givenUsage(async () => new Map([[topic, 1234]]));
    const usageOf = await usage.read();
    expect(usageOf(orders)).toEqual({ bytes: 1234, lag: 6 });
    expect(usageOf(users)).toEqual({ bytes: null, lag: null });
  });

  it('asks for sizes once for many callers', async () => {
    let asked = 0;
    const { usage } = givenUsage(async () => (asked++, new Map()));
    await Promise.all([usage.read(), usage.read()]);
    await usage.read();
    expect(asked).toBe(1);
  });

  it('has no bytes while the log is unavailable, and asks again', async () => {
    let asked = 0;
    const { usage } = givenUsage(async () => {
      asked++;
      throw new LogUnavailableError('no broker answers');
    });
    expect((await usage.read())(orders)).toEqual({ bytes: null, lag: 6 });
    await usage.read();
    expect(asked).toBe(2);
  });

  it('waits for the log for at most a second', async () => {
    const { usage } = givenUsage(() => new Promise(() => undefined));
    expect((await usage.read())(orders)).toEqual({ bytes: null, lag: 6 });
  });
});
