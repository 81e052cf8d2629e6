import { gauge, sumOfCounters, type Logger, type MetricsOfThread } from '#telemetry';
import type { CheckResult, HealthKind } from './health.js';

/** A running further thread, as `AppThreads` uses it. Specs use another one. */
export interface AppThread {
  /** Returns the part of the time, from 0 to 1, in which its event loop was busy since the last call. */
  utilization(): number;
  /** Returns its metrics. @throws Error when it does not answer in time */
  metrics(): Promise<MetricsOfThread>;
  /** Returns the results of its health checks by name. @throws Error when it does not answer in time */
  checks(kind: HealthKind): Promise<Record<string, CheckResult>>;
  /** Whether it has loaded its modules, so that it can answer. */
  readonly isListening: boolean;
  /** Stops the thread in order. */
  stop(): void;
  /** Resolves with its exit code when the thread has ended. */
  readonly ended: Promise<number>;
}

interface RunningThread {
  readonly number: number;
  readonly thread: AppThread;
  stopped: boolean;
  /** Seconds since it was started. */
  age: number;
  /** Its metrics when they were last known. */
  metrics: MetricsOfThread;
}

interface AppThreadsOptions {
  /** Maximum number of threads, including the main thread. */
  most: number;
  /** Starts a further thread with this number. */
  start(thread: number): AppThread;
  /** Returns the part of the time in which the event loop of the main thread was busy since the last call. */
  utilization(): number;
  logger: Pick<Logger, 'info'>;
  /** Called when a thread has ended although nobody has stopped it. */
  onFailure(error: Error): void;
}

/** A further thread is started when all threads together are busier than this for `busySeconds`. */
const busyAbove = 0.8;
const busySeconds = 5;
/** Seconds in which a thread on a busy machine may load its modules, and cannot answer. */
const loadSeconds = 60;
/** Seconds without a decision after a start, in which the new thread takes over its partitions. */
const settleSeconds = 15;
/** The last thread is stopped when the others would be less busy than this without it, for `quietSeconds`. */
const quietBelow = 0.4;
const quietSeconds = 600;

const threads = gauge('tributary_threads', {
  help: 'Threads of this process that run the app. A busy processor starts further ones, up to PROCESSOR_THREADS.',
});

/**
 * Further threads of an app. Each runs the whole app without its HTTP ports, as another process would: it is another
 * member of the consumer groups. A thread is started when the event loops of all threads have been busy, so an idle
 * process costs what one thread costs. When a thread fails, the process fails.
 */
export class AppThreads {
  private readonly threads: RunningThread[] = [];
  /** The counters of threads that have ended. A sum that falls would look like a restart of the process. */
  private ofEnded: MetricsOfThread = [];
  private busy = 0;
  private quiet = 0;
  private settling = 0;

  constructor(private readonly options: AppThreadsOptions) {
    threads.set(1);
  }

  /** Number of threads that run, including the main thread. */
  get running(): number {
    return 1 + this.threads.length;
  }

  /** Measures how busy the threads are, and starts or stops one if necessary. It must be called once a second. */
  poll(): void {
    const total = this.threads.reduce(
      (sum, { thread }) => sum + thread.utilization(),
      this.options.utilization(),
    );
    for (const one of this.threads) one.age++;
    // A number is used again only when its thread has ended.
    if (this.threads.some(({ stopped }) => stopped)) return;
    if (this.settling > 0) return void this.settling--;
    this.busy = total > busyAbove * this.running ? this.busy + 1 : 0;
    this.quiet = total < quietBelow * (this.running - 1) ? this.quiet + 1 : 0;
    if (this.busy >= busySeconds && this.running < this.options.most) this.startOne();
    else if (this.quiet >= quietSeconds && this.running > 1) this.stopOne();
  }

  /** Returns the metrics of all further threads, of a thread that does not answer in time those that it had before. */
  async metrics(): Promise<readonly MetricsOfThread[]> {
    await Promise.allSettled(
      this.threads.map(async (one) => {
        if (one.thread.isListening) one.metrics = await one.thread.metrics();
      }),
    );
    const known = [this.ofEnded, ...this.threads.map(({ metrics }) => metrics)];
    return known.filter((metrics) => metrics.length > 0);
  }

  /** Returns the results of the health checks of all further threads, and of a check whether they answer. */
  async checks(kind: HealthKind): Promise<readonly Record<string, CheckResult>[]> {
    const asked = this.threads.filter(({ thread, age }) => thread.isListening || age > loadSeconds);
    const answers = await Promise.allSettled(asked.map(({ thread }) => thread.checks(kind)));
    return [
      { threads: { status: 'ok', running: this.running } },
      ...answers.map((answer): Record<string, CheckResult> => {
        if (answer.status === 'fulfilled') return answer.value;
        return { threads: { status: 'failing', error: String((answer.reason as Error).message) } };
      }),
    ];
  }

  /** Tells all threads to stop in order. */
  stop(): void {
    this.settling = Infinity;
    for (const one of this.threads) {
      one.stopped = true;
      one.thread.stop();
    }
  }

  /** Resolves when all threads have ended. */
  async ended(): Promise<void> {
    await Promise.all(this.threads.map(({ thread }) => thread.ended));
  }

  private startOne(): void {
    const number = this.running;
    this.options.logger.info({ thread: number }, 'a further thread starts, because all threads are busy');
    const one: RunningThread = {
      number,
      thread: this.options.start(number),
      stopped: false,
      age: 0,
      metrics: [],
    };
    this.threads.push(one);
    this.decided();
    void one.thread.ended.then((code) => this.hasEnded(one, code));
  }

  private async hasEnded(one: RunningThread, code: number): Promise<void> {
    const { number, stopped, metrics } = one;
    if (!stopped || code !== 0)
      this.options.onFailure(new Error(`thread ${number} has ended with exit code ${code}`));
    this.ofEnded = await sumOfCounters([this.ofEnded, metrics]);
    this.threads.splice(this.threads.indexOf(one), 1);
    threads.set(this.running);
  }

  private stopOne(): void {
    const one = this.threads.at(-1)!;
    this.options.logger.info({ thread: one.number }, 'the last thread stops, because it is not needed');
    one.stopped = true;
    // The counters are final but for what is saved during the stop.
    const stop = () => one.thread.stop();
    void one.thread
      .metrics()
      .then(
        (metrics) => (one.metrics = metrics),
        () => undefined,
      )
      .then(stop);
    this.decided();
  }

  private decided(): void {
    [this.busy, this.quiet, this.settling] = [0, 0, settleSeconds];
    threads.set(this.running);
  }
}
