import type { Logger } from '#telemetry';

/** The task of a `BackgroundLoop`, and what happens after its errors. */
interface PollOptions {
  /** The repeated task. Resolves with the milliseconds until its next run; undefined: only after a call of `soon`. */
  run(): Promise<number | undefined>;
  /** Returns whether an error is temporary, so that a later run may succeed. */
  mayReturn(error: unknown): boolean;
  /** Milliseconds until the next run after a temporary error. */
  retryMs: number;
  /** Log message after a temporary error. */
  complaint: string;
  logger: Pick<Logger, 'warn'>;
  onFailure(error: unknown): void;
}

/** Runs an asynchronous task repeatedly, one run at a time. The task decides when it runs next. */
export class BackgroundLoop {
  private timer: NodeJS.Timeout | undefined;
  private due = Infinity;
  private working: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(private readonly options: PollOptions) {}

  /** Schedules a run in `ms` milliseconds, unless one is due earlier. */
  soon(ms: number): void {
    const due = performance.now() + ms;
    if (this.stopped || due >= this.due) return;
    clearTimeout(this.timer);
    this.due = due;
    this.timer = setTimeout(() => {
      this.due = Infinity;
      this.working = this.working.then(() => this.run());
    }, ms).unref();
  }

  /** Stops further runs; resolves when the current run has ended. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.working;
  }

  private async run(): Promise<void> {
    const { options } = this;
    if (this.stopped) return;
    try {
      const next = await options.run();
      if (next !== undefined) this.soon(next);
    } catch (error) {
      if (!options.mayReturn(error)) return options.onFailure(error);
      options.logger.warn({ reason: (error as Error).message }, options.complaint);
      this.soon(options.retryMs);
    }
  }
}
