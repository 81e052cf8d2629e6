import { beforeEach, describe, expect, it, vi } from 'vitest';
import { RequestBatcher } from './request-batcher.js';

describe('a request batcher', () => {
  let sent: number[][];
  let release: () => void;
  let blocked: Promise<void>;
  beforeEach(() => {
    sent = [];
    blocked = new Promise((resolve) => (release = resolve));
  });
  const doubled = async (items: readonly number[]): Promise<number[]> => {
    sent.push([...items]);
    if (sent.length === 1) await blocked;
    if (items.includes(13)) throw new RangeError('unlucky');
    return items.map((item) => 2 * item);
  };

  it('sends calls of the same turn, and calls that arrive during a request, together', async () => {
    const batcher = new RequestBatcher({ most: 10, send: doubled });
    const first = [1, 2].map((item) => batcher.ask(item));
    await new Promise((resolve) => setImmediate(resolve));
    const second = [3, 4].map((item) => batcher.ask(item));
    release();
    expect(await Promise.all([...first, ...second])).toEqual([2, 4, 6, 8]);
    expect(sent).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  it('collects calls during the pause after a request', async () => {
    release();
    const slow = async (items: readonly number[]): Promise<number[]> => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return doubled(items);
    };
    const batcher = new RequestBatcher({ most: 10, send: slow, restPerRequest: 1_000, longestRestMs: 300 });
    await Promise.all([batcher.ask(0), batcher.ask(1)]);
    const second = batcher.ask(2);
    await new Promise((resolve) => setTimeout(resolve, 1));
    expect(await Promise.all([second, batcher.ask(3)])).toEqual([4, 6]);
    expect(sent).toEqual([
      [0, 1],
      [2, 3],
    ]);
  });

  it('does not pause after a request with one item', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    try {
      release();
      const batcher = new RequestBatcher({ most: 10, send: doubled, restPerRequest: 1_000_000 });
      expect([await batcher.ask(1), await batcher.ask(2)]).toEqual([2, 4]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('sends later calls while a request hangs, up to the number of concurrent requests', async () => {
    const batcher = new RequestBatcher({ most: 10, send: doubled, concurrent: 2 });
    const hanging = batcher.ask(1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(await batcher.ask(2)).toBe(4);
    expect(sent).toEqual([[1], [2]]);
    release();
    expect(await hanging).toBe(2);
  });

  it('sends at most the given number of items in one request', async () => {
    release();
    const batcher = new RequestBatcher({ most: 2, send: doubled });
    expect(await Promise.all([1, 2, 3, 4, 5].map((item) => batcher.ask(item)))).toEqual([2, 4, 6, 8, 10]);
    expect(sent.map(({ length }) => length)).toEqual([2, 2, 1]);
  });

  it('fails all items of a failed request, and sends later ones', async () => {
    release();
    const batcher = new RequestBatcher({ most: 10, send: doubled });
    const outcomes = await Promise.allSettled([1, 13].map((item) => batcher.ask(item)));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await batcher.ask(1)).toBe(2);
  });

  it('sends each item again by itself if the error can be the fault of one of them', async () => {
    release();
    const isFaultOfOneItem = (error: unknown): boolean => error instanceof RangeError;
    const batcher = new RequestBatcher({ most: 10, send: doubled, isFaultOfOneItem });
    const outcomes = await Promise.allSettled([1, 13, 2].map((item) => batcher.ask(item)));
    expect(outcomes.map((one) => (one.status === 'fulfilled' ? one.value : 'failed'))).toEqual([
      2,
      'failed',
      4,
    ]);
  });
});
