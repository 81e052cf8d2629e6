import { setTimeout as sleep } from 'node:timers/promises';
import { withAnySignal } from '#async';

/** Decides when all work must end: at once after a failure, else when everything is saved or time is over. */
export class WorkShutdown {
  private readonly stopped = new AbortController();

  /** @param onFailure Called once, with the first failure. */
  constructor(private readonly onFailure: (error: Error) => void) {}

  /** Aborted when all work must end. */
  get signal(): AbortSignal {
    return this.stopped.signal;
  }

  fail(error: unknown): void {
    if (this.stopped.signal.aborted) return;
    this.stopped.abort();
    this.onFailure(error instanceof Error ? error : new Error(String(error)));
  }

  /** Runs `close`, whose argument resolves after `ms` or a failure, and aborts `signal` when either has resolved. */
  async within(ms: number, close: (givenUp: Promise<void>) => Promise<void>): Promise<void> {
    const closed = new AbortController();
    const givenUp = withAnySignal([closed.signal, this.stopped.signal], (signal) =>
      sleep(ms, undefined, { signal }),
    )
      .catch(() => undefined)
      .then(() => this.stopped.abort());
    await close(givenUp);
    closed.abort();
    await givenUp;
  }
}
