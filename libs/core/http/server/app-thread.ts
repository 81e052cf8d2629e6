import { performance, type EventLoopUtilization } from 'node:perf_hooks';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { within } from '#async';
import { metricsOfThread, type Logger, type MetricsOfThread } from '#telemetry';
import type { CheckResult, Health, HealthKind } from './health.js';
import type { AppThread } from './app-threads.js';

/** What a further thread is started with: its number, from 1. */
interface ThreadData {
  readonly thread: number;
}

/** A request to a further thread: to stop in order, or to answer the question of this number. */
type ThreadRequest = { readonly stop: true } | ThreadQuestion;
type ThreadQuestion = { readonly question: number; readonly about: 'metrics' | HealthKind };
type ThreadAnswer = { readonly question: number; readonly answer: unknown };
/** The question of a message that says that a thread can answer from now on. */
const listening = 0;

/** Milliseconds that a thread has for an answer: its health checks take up to two seconds. */
const answerMs = 2500;

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
export function startAppThread(entry: string, thread: number, logger: Pick<Logger, 'fatal'>): AppThread {
  const worker = new Worker(new URL(entry), { workerData: { thread } satisfies ThreadData });
  const waiting = new Map<number, (answer: unknown) => void>();
  let questions = listening;
  let isListening = false;
  worker.on('message', ({ question, answer }: ThreadAnswer) => {
    isListening = true;
    waiting.get(question)?.(answer);
    waiting.delete(question);
  });
  // An error that the thread could not log, such as that its heap is full. The thread ends.
  worker.on('error', (error) => logger.fatal({ err: error, thread }, 'a thread has failed'));
  const send = (request: ThreadRequest): void => worker.postMessage(request);
  const ask = async (about: ThreadQuestion['about']): Promise<unknown> => {
    const question = ++questions;
    const answered = new Promise<unknown>((resolve) => waiting.set(question, resolve));
    send({ question, about });
    return await within(answerMs, answered, () => {
      waiting.delete(question);
      throw new Error(`thread ${thread} has not answered within ${answerMs} ms`);
    });
  };
  return {
    get isListening() {
      return isListening;
    },
    ended: new Promise((resolve) => worker.once('exit', resolve)),
    utilization: utilizationSince(() => worker.performance.eventLoopUtilization()),
    stop: () => send({ stop: true }),
    metrics: () => ask('metrics') as Promise<MetricsOfThread>,
    checks: (kind) => ask(kind) as Promise<Record<string, CheckResult>>,
  };
}

/** Answers the requests of the main thread in a further thread. @param stop stops this thread in order */
export function answerMainThread(health: Health, stop: () => void): void {
  parentPort?.on('message', (request: ThreadRequest) => {
    if ('stop' in request) stop();
    else void answer(health, request);
  });
  parentPort?.postMessage({ question: listening, answer: undefined } satisfies ThreadAnswer);
}

async function answer(health: Health, { question, about }: ThreadQuestion): Promise<void> {
  const found = about === 'metrics' ? await metricsOfThread() : (await health.report(about)).checks;
  parentPort?.postMessage({ question, answer: found } satisfies ThreadAnswer);
}
