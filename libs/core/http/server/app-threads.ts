import { gauge, type Logger, type MetricsOfThread } from '#telemetry';
import type { HealthReport } from './health.js';

/** Metrics and health of a further thread. */
export interface AppThreadReport {
  readonly metrics: MetricsOfThread;
  readonly all: HealthReport;
  readonly liveness: HealthReport;
}

/** A running further thread, as `AppThreads` uses it. Specs use another one. */
export interface AppThread {
  /** Returns the part of the time, from 0 to 1, in which its event loop was busy since the last call. */
  utilization(): number;
  /** Returns its metrics and health. @throws Error when it does not answer in time */
  report(): Promise<AppThreadReport>;
  /** Stops the thread in order. */
  stop(): void;
  /** Resolves with its exit code when the thread has ended. */
  readonly ended: Promise<number>;
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
  private readonly threads: { thread: AppThread; stopped: boolean }[] = [];
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
    if (this.settling > 0) return void this.settling--;
    this.busy = total > busyAbove * this.running ? this.busy + 1 : 0;
    this.quiet = total < quietBelow * (this.running - 1) ? this.quiet + 1 : 0;
    if (this.busy >= busySeconds && this.running < this.options.most) this.startOne();
    else if (this.quiet >= quietSeconds && this.running > 1) this.stopOne();
  }

  /** Returns the metrics of all further threads. A thread that does not answer in time is left out. */
  async metrics(): Promise<readonly MetricsOfThread[]> {
    const reports = await Promise.allSettled(this.threads.map(({ thread }) => thread.report()));
    return reports.flatMap((report) => (report.status === 'fulfilled' ? [report.value.metrics] : []));
  }

  /** Health check: @throws Error when a check of a further thread fails, or when a thread does not answer */
  async check(kind: 'all' | 'liveness'): Promise<Record<string, unknown>> {
    const reports = await Promise.all(this.threads.map(({ thread }) => thread.report()));
    for (const [at, report] of reports.entries())
      for (const [name, { status, error }] of Object.entries(report[kind].checks))
        if (status === 'failing') throw new Error(`thread ${at + 1}: ${name}: ${error}`);
    return { running: this.running };
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
    const one = { thread: this.options.start(number), stopped: false };
    this.threads.push(one);
    this.decided();
    void one.thread.ended.then((code) => {
      this.threads.splice(this.threads.indexOf(one), 1);
      threads.set(this.running);
      if (!one.stopped || code !== 0)
        this.options.onFailure(new Error(`thread ${number} has ended with exit code ${code}`));
    });
  }

  private stopOne(): void {
    const one = this.threads.at(-1)!;
    this.options.logger.info({ thread: this.running - 1 }, 'the last thread stops, because it is not needed');
    one.stopped = true;
    one.thread.stop();
    this.decided();
  }

  private decided(): void {
    [this.busy, this.quiet, this.settling] = [0, 0, settleSeconds];
    threads.set(this.running);
  }
}
