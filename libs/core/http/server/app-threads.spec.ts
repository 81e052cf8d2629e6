import { beforeEach, describe, expect, it, vi } from 'vitest';
import { counter, createLogger, metricsOfThread, type MetricsOfThread } from '#telemetry';
import { AppThreads, type AppThread } from './app-threads.js';
import { Health, type CheckResult } from './health.js';
import { utilizationSince } from './app-thread.js';

/** Further threads that a spec controls: how busy they are, what they report, and when they end. */
class GivenThread implements AppThread {
  busy = 0;
  stopped = false;
  isListening = true;
  results: Record<string, CheckResult> = { store: { status: 'ok' } };
  values: MetricsOfThread = [];
  end!: (code: number) => void;
  readonly ended = new Promise<number>((resolve) => (this.end = resolve));
  utilization = () => this.busy;
  stop = () => void (this.stopped = true);
  metrics = () => Promise.resolve(this.values);
  checks = () => Promise.resolve(this.results);
}

const counted = counter('spec_counted_total', { help: 'A counter of this spec.' });
/** Returns the metrics of a thread that has counted so far. */
async function countedTo(value: number): Promise<MetricsOfThread> {
  counted.reset();
  counted.inc(value);
  return (await metricsOfThread()).filter(({ name }) => name === 'spec_counted_total');
}
const sumOf = (all: readonly MetricsOfThread[]) =>
  all
    .flatMap((metrics) => metrics.flatMap(({ values }) => values))
    .reduce((sum, { value }) => sum + value, 0);

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
    await vi.waitFor(() => expect(started[0]!.stopped).toBe(true));
    main = 1;
    poll(100);
    // Its number is not used again while it ends.
    expect(started).toHaveLength(1);
    main = 0;
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

  it('has health checks of which the worst result of all threads is that of the process', async () => {
    main = 1;
    poll(5);
    const health = new Health();
    health.register('store', async () => undefined);
    health.register('saving', async () => ({ status: 'degraded' }));
    health.ofThreads = (kind) => threads.checks(kind);
    const ok = { status: 'ok' };
    expect(await health.report('all')).toEqual({
      healthy: true,
      checks: { store: ok, saving: { status: 'degraded' }, threads: { status: 'ok', running: 2 } },
    });
    const failing = { status: 'failing', error: 'down' } as const;
    started[0]!.results = { store: failing, saving: { status: 'ok' } };
    expect(await health.report('all')).toMatchObject({
      healthy: false,
      checks: { store: failing, saving: { status: 'degraded' } },
    });
  });

  it('without an answer fails the check that a process is alive, and keeps its metrics', async () => {
    main = 1;
    poll(5);
    started[0]!.values = await countedTo(3);
    expect(sumOf(await threads.metrics())).toBe(3);
    const late = () => Promise.reject(new Error('thread 1 has not answered within 2500 ms'));
    Object.assign(started[0]!, { metrics: late, checks: late });
    expect(sumOf(await threads.metrics())).toBe(3);
    const health = new Health();
    health.ofThreads = (kind) => threads.checks(kind);
    expect(await health.report('liveness')).toEqual({
      healthy: false,
      checks: { threads: { status: 'failing', error: 'thread 1 has not answered within 2500 ms' } },
    });
  });

  it('that still loads its modules does not fail the check, for a minute', async () => {
    main = 1;
    poll(5);
    Object.assign(started[0]!, { isListening: false, checks: () => Promise.reject(new Error('late')) });
    poll(60);
    expect(await threads.checks('liveness')).toEqual([{ threads: { status: 'ok', running: 2 } }]);
    poll(1);
    expect(await threads.checks('liveness')).toContainEqual({
      threads: { status: 'failing', error: 'late' },
    });
  });

  it('leaves its counters when it has ended, so that no sum falls', async () => {
    main = 1;
    poll(5);
    started[0]!.values = await countedTo(3);
    await threads.metrics();
    main = 0;
    poll(15 + 600);
    await vi.waitFor(() => expect(started[0]!.stopped).toBe(true));
    started[0]!.end(0);
    await vi.waitFor(() => expect(threads.running).toBe(1));
    expect(sumOf(await threads.metrics())).toBe(3);
    main = 1;
    poll(100);
    started[1]!.values = await countedTo(4);
    expect(sumOf(await threads.metrics())).toBe(7);
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
