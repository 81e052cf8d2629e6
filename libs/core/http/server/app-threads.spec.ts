import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createLogger } from '#telemetry';
import { AppThreads, type AppThread, type AppThreadReport } from './app-threads.js';
import { utilizationSince } from './app-thread.js';

/** Further threads that a spec controls: how busy they are, what they report, and when they end. */
class GivenThread implements AppThread {
  busy = 0;
  stopped = false;
  checks: AppThreadReport['all']['checks'] = { store: { status: 'ok' } };
  end!: (code: number) => void;
  readonly ended = new Promise<number>((resolve) => (this.end = resolve));
  utilization = () => this.busy;
  stop = () => void (this.stopped = true);

  report(): Promise<AppThreadReport> {
    const report = { healthy: true, checks: this.checks };
    return Promise.resolve({ metrics: [], all: report, liveness: report });
  }
}

let main: number;
let started: GivenThread[];
let failures: string[];
let threads: AppThreads;
const most = 3;
const poll = (seconds: number) => {
  for (let i = 0; i < seconds; i++) threads.poll();
};

beforeEach(() => {
  main = 0;
  started = [];
  failures = [];
  threads = new AppThreads({
    most,
    start: () => {
      started.push(new GivenThread());
      return started.at(-1)!;
    },
    utilization: () => main,
    logger: createLogger({ name: 'spec', level: 'silent' }),
    onFailure: ({ message }) => failures.push(message),
  });
});

describe('a further thread', () => {
  it('starts when the main thread was busy for five seconds', () => {
    main = 0.9;
    poll(4);
    expect(threads.running).toBe(1);
    poll(1);
    expect(threads.running).toBe(2);
  });

  it('does not start for work with a quiet second in between', () => {
    for (let i = 0; i < 20; i++) {
      main = i % 4 === 3 ? 0.5 : 1;
      poll(1);
    }
    expect(threads.running).toBe(1);
  });

  it('starts when all threads together are busy, and only up to the limit', () => {
    main = 1;
    poll(100);
    expect(threads.running).toBe(2);
    started[0]!.busy = 1;
    poll(100);
    expect(threads.running).toBe(most);
    for (const one of started) one.busy = 1;
    poll(100);
    expect(threads.running).toBe(most);
  });

  it('stops in order when the others have been able to do its work for ten minutes', async () => {
    main = 1;
    poll(5);
    main = 0.3;
    poll(15 + 599);
    expect(started[0]!.stopped).toBe(false);
    poll(1);
    expect(started[0]!.stopped).toBe(true);
    started[0]!.end(0);
    await vi.waitFor(() => expect(threads.running).toBe(1));
    expect(failures).toEqual([]);
  });

  it.each([0, 1])('that ends by itself with exit code %i fails the process', async (code) => {
    main = 1;
    poll(5);
    started[0]!.end(code);
    await vi.waitFor(() => expect(failures).toEqual([`thread 1 has ended with exit code ${code}`]));
  });

  it('fails the health check of the process with the name of its own check', async () => {
    main = 1;
    poll(5);
    expect(await threads.check('all')).toEqual({ running: 2 });
    started[0]!.checks = { store: { status: 'failing', error: 'down' } };
    await expect(threads.check('all')).rejects.toThrow('thread 1: store: down');
  });

  it('without an answer is left out of the metrics, and fails the check that a process is alive', async () => {
    main = 1;
    poll(5);
    started[0]!.report = () => Promise.reject(new Error('thread 1 has not answered within 2000 ms'));
    expect(await threads.metrics()).toEqual([]);
    await expect(threads.check('liveness')).rejects.toThrow('thread 1 has not answered');
  });
});

it('no thread starts after the shutdown has begun', async () => {
  main = 1;
  poll(5);
  threads.stop();
  poll(100);
  expect(started).toHaveLength(1);
  started[0]!.end(0);
  await threads.ended();
  expect(failures).toEqual([]);
});

it('utilization is measured since the last call', () => {
  const readings = [
    { idle: 100, active: 300, utilization: 0 },
    { idle: 190, active: 310, utilization: 0 },
    { idle: 190, active: 310, utilization: 0 },
  ];
  const utilization = utilizationSince(() => readings.shift()!);
  expect([utilization(), utilization(), utilization()]).toEqual([0.75, 0.1, 0]);
});
