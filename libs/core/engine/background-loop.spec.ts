import { beforeEach, expect, it, vi } from 'vitest';
import { createLogger } from '#telemetry';
import { BackgroundLoop } from './background-loop.js';

let runs: number;
let outcome: () => Promise<number | undefined>;
let failures: unknown[];
let poll: BackgroundLoop;

beforeEach(() => {
  [runs, failures] = [0, []];
  outcome = async () => undefined;
  poll = new BackgroundLoop({
    run: () => {
      runs++;
      return outcome();
    },
    mayReturn: (error) => (error as Error).message === 'away',
    ...{ retryMs: 1, complaint: 'away', logger: createLogger({ name: 'test', level: 'silent' }) },
    onFailure: (error) => failures.push(error),
  });
});

const pause = () => new Promise((resolve) => setTimeout(resolve, 20));

it('runs once for several calls, and again after each returned delay', async () => {
  outcome = async () => (runs < 3 ? 1 : undefined);
  poll.soon(1);
  poll.soon(5);
  await vi.waitFor(() => expect(runs).toBe(3));
  await pause();
  expect(runs).toBe(3);
});

it('runs at the earliest requested time', async () => {
  poll.soon(10_000);
  poll.soon(1);
  await vi.waitFor(() => expect(runs).toBe(1));
});

it('retries after a temporary error, and not after another', async () => {
  outcome = () => Promise.reject(new Error(runs < 3 ? 'away' : 'a bug'));
  poll.soon(1);
  await vi.waitFor(() => expect(failures).toMatchObject([{ message: 'a bug' }]));
  await pause();
  expect(runs).toBe(3);
});

it('stops when the current run has ended', async () => {
  let finish = (): void => undefined;
  outcome = () => new Promise((resolve) => (finish = () => resolve(1)));
  poll.soon(0);
  await vi.waitFor(() => expect(runs).toBe(1));
  const stopped = poll.stop();
  finish();
  await stopped;
  await pause();
  expect(runs).toBe(1);
});
