import { once } from 'node:events';
import { performance, type EventLoopUtilization } from 'node:perf_hooks';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { within } from '#async';
import { metricsOfThread } from '#telemetry';
import type { Health } from './health.js';
import type { AppThread, AppThreadReport } from './app-threads.js';

/** What a further thread is started with: its number, from 1. */
interface ThreadData {
  readonly thread: number;
}

/** A request to a further thread: to stop in order, or to answer with a report of this number. */
type ThreadRequest = { readonly stop: true } | { readonly report: number };
type ThreadAnswer = AppThreadReport & { readonly report: number };

/** Milliseconds that a thread has for its report. */
const reportMs = 2000;

/** Number of the thread that runs this code: 0 for the main thread, otherwise the number of the further thread. */
export const ownThread = isMainThread ? 0 : ((workerData as Partial<ThreadData> | null)?.thread ?? 0);

/** Returns a function that returns how busy an event loop was since its last call, from 0 to 1. */
export function utilizationSince(read: (last?: EventLoopUtilization) => EventLoopUtilization): () => number {
  let last: EventLoopUtilization | undefined;
  return () => {
    const now = read();
    const { idle, active } = now;
    const [idleMs, activeMs] = [idle - (last?.idle ?? 0), active - (last?.active ?? 0)];
    last = now;
    return idleMs + activeMs > 0 ? activeMs / (idleMs + activeMs) : 0;
  };
}

/** Returns how busy the event loop of this thread was since the last call, from 0 to 1. */
export const ownUtilization = utilizationSince(() => performance.eventLoopUtilization());

/** Starts a further thread, which runs the module `entry`. */
export function startAppThread(entry: string, thread: number): AppThread {
  const worker = new Worker(new URL(entry), { workerData: { thread } satisfies ThreadData });
  const waiting = new Map<number, (report: AppThreadReport) => void>();
  let reports = 0;
  worker.on('message', ({ report, ...answer }: ThreadAnswer) => {
    waiting.get(report)?.(answer);
    waiting.delete(report);
  });
  // The thread has logged its error. Its end is in `ended`.
  worker.on('error', () => undefined);
  const ended = once(worker, 'exit').then(([code]) => code as number);
  const ask = (request: ThreadRequest): void => worker.postMessage(request);
  return {
    ended,
    utilization: utilizationSince(() => worker.performance.eventLoopUtilization()),
    stop: () => ask({ stop: true }),
    report: async () => {
      const number = ++reports;
      const answered = new Promise<AppThreadReport>((resolve) => waiting.set(number, resolve));
      ask({ report: number });
      return await within(reportMs, answered, () => {
        waiting.delete(number);
        throw new Error(`thread ${thread} has not answered within ${reportMs} ms`);
      });
    },
  };
}

/** Answers the requests of the main thread in a further thread. @param stop stops this thread in order */
export function answerMainThread(health: Health, stop: () => void): void {
  parentPort?.on('message', (request: ThreadRequest) => {
    if ('stop' in request) stop();
    else void answer(health, request.report);
  });
}

async function answer(health: Health, report: number): Promise<void> {
  const [metrics, all, liveness] = await Promise.all([
    metricsOfThread(),
    health.report('all'),
    health.report('liveness'),
  ]);
  parentPort?.postMessage({ report, metrics, all, liveness } satisfies ThreadAnswer);
}
