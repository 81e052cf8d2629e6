import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PerKeyConcurrencyLimiter } from './per-key-concurrency-limiter.js';

describe('the running operations of a key', () => {
  it('are limited for each key separately', () => {
    const running = new PerKeyConcurrencyLimiter(2, 'exports');
    const leave = running.enter('a');
    running.enter('a');
    expect(() => running.enter('a')).toThrow('This key may run 2 exports at once');
    running.enter('b');
    leave();
    running.enter('a');
    expect(() => running.enter('a')).toThrow();
  });

  it('are not limited for callers without a key', () => {
    const running = new PerKeyConcurrencyLimiter(1, 'exports');
    running.enter(null);
    running.enter(null);
  });
});

describe('an operation of a key that waits for its turn', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const never = new AbortController().signal;
  const limits = { queued: 2, waitMs: 1_000 };
  const given = () => new PerKeyConcurrencyLimiter(1, 'SQL statements');

  it('starts when another one ends, also if it began to wait while all others were leaving the queue', async () => {
    const running = new PerKeyConcurrencyLimiter(2, 'SQL statements');
    const [endFirst, endSecond] = [running.enter('a'), running.enter('a')];
    const others = [1, 2].map(() => running.enterInTurn('a', never, limits));
    let late: Promise<() => void> | undefined;
    endFirst();
    void Promise.resolve().then(() => (late = running.enterInTurn('a', never, limits)));
    endSecond();
    for (const end of await Promise.all(others)) end();
    (await late!)();
  });

  it('starts when another one ends, in the order of arrival', async () => {
    const running = given();
    const started: number[] = [];
    const leave = await running.enterInTurn('a', never, limits);
    const enter = async (n: number) => {
      const end = await running.enterInTurn('a', never, limits);
      started.push(n);
      return end;
    };
    const [second, third] = [enter(2), enter(3)];
    (await running.enterInTurn('b', never, limits))();
    expect(started).toEqual([]);
    leave();
    const leaveSecond = await second;
    expect(started).toEqual([2]);
    leaveSecond();
    (await third)();
    running.enter('a')();
  });

  it('is refused when too many wait, or none ends in time', async () => {
    const running = given();
    running.enter('a');
    const waiting = [1, 2].map(() => running.enterInTurn('a', never, limits));
    await expect(running.enterInTurn('a', never, limits)).rejects.toThrow('1 SQL statements at once');
    const refused = Promise.allSettled(waiting);
    await vi.advanceTimersByTimeAsync(limits.waitMs);
    expect(await refused).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
  });

  it('leaves the line when its client disconnects', async () => {
    const running = given();
    const leave = running.enter('a');
    const client = new AbortController();
    const waiting = running.enterInTurn('a', client.signal, limits);
    client.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    leave();
    running.enter('a');
  });
});
