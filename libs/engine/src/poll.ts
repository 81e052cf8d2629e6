import type { Logger } from '#telemetry';

export interface PollOptions {
  /** Resolves with the milliseconds until the next run; undefined where there is none before `soon` is called. */
  run(): Promise<number | undefined>;
  /** Whether repeating may help. */
  mayReturn(error: unknown): boolean;
  /** Milliseconds until the next run after such an error. */
  retryMs: number;
  /** What the log says then. */
  complaint: string;
  logger: Pick<Logger, 'warn'>;
  onFailure(error: unknown): void;
}

/** Runs a piece of work again and again, never twice at a time. */
export class Poll {
  private timer: NodeJS.Timeout | undefined;
  private due = Infinity;
  private working: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(private readonly options: PollOptions) {}

  /** Runs in so many milliseconds, unless it runs before. */
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

  /** Runs no more; resolves when no run is under way. */
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
