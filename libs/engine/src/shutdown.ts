import { setTimeout as sleep } from 'node:timers/promises';
import { withAnySignal } from '#async';

/** Stops everything that runs: at once after a failure, otherwise when it is saved, or the time for that is over. */
export class Shutdown {
  private readonly stopped = new AbortController();

  /** @param onFailure Is called once, with what failed first. */
  constructor(private readonly onFailure: (error: Error) => void) {}

  /** Is aborted when everything stops, whatever is under way. */
  get signal(): AbortSignal {
    return this.stopped.signal;
  }

  fail(error: unknown): void {
    if (this.stopped.signal.aborted) return;
    this.stopped.abort();
    this.onFailure(error instanceof Error ? error : new Error(String(error)));
  }

  /** Runs `close`, and gives it a promise that resolves when the time is over. Afterwards everything stops. */
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
