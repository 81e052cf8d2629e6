import { setTimeout as sleep } from 'node:timers/promises';
import { Backoff } from '#async';
import { LogUnavailableError } from '#log';
import { storeMayReturn } from '#store';
import type { Logger } from '#telemetry';

export interface RetryOptions {
  logger: Logger;
  /** Called at each failed attempt: whoever watches sees that waiting is not hanging. */
  failedAttempt?(): void;
  /** Milliseconds before the second attempt; doubles from there. */
  firstDelayMs?: number;
  longestDelayMs?: number;
}

/**
 * Repeats what failed because an engine cannot be reached or cannot take writes now, as long as it takes. Delays grow
 * to a bound and are spread at random, so that several processes do not come back all at once. One line in the log
 * when an engine goes, one when it is back.
 */
export class Retry {
  /** Calls that have failed at least once and are being repeated. */
  private readonly waiting = new Map<symbol, { engine: string; reason: string }>();

  constructor(private readonly options: RetryOptions) {}

  /** Why something is being repeated right now; undefined when nothing is. */
  get complaint(): string | undefined {
    const [first] = this.waiting.values();
    return first && `${first.engine}: ${first.reason}`;
  }

  /**
   * Resolves with the first success.
   * @throws the signal's reason when it is aborted between attempts; at once whatever repeating does not help against.
   */
  async run<T>(engine: 'log' | 'store', signal: AbortSignal, attempt: () => Promise<T>): Promise<T> {
    const { firstDelayMs = 100, longestDelayMs = 2000 } = this.options;
    const backoff = new Backoff(firstDelayMs, longestDelayMs);
    const call = Symbol(engine);
    try {
      for (;;) {
        signal.throwIfAborted();
        try {
          const result = await attempt();
          this.isBack(engine, call);
          return result;
        } catch (error) {
          if (!helps(error)) throw error;
          this.isGone(engine, call, error);
        }
        await sleep(backoff.next() * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => undefined);
      }
    } finally {
      this.waiting.delete(call);
    }
  }

  private isGone(engine: string, call: symbol, error: Error): void {
    this.options.failedAttempt?.();
    const known = this.waits(engine);
    this.waiting.set(call, { engine, reason: error.message });
    if (known) return;
    this.options.logger.warn({ engine, reason: error.message }, 'unavailable: trying again until it is back');
  }

  /** Other calls to the same engine may still be refused: it is back when none is. */
  private isBack(engine: string, call: symbol): void {
    if (!this.waiting.delete(call) || this.waits(engine)) return;
    this.options.logger.info({ engine }, 'available again');
  }

  private waits(engine: string): boolean {
    return [...this.waiting.values()].some((one) => one.engine === engine);
  }
}

/** Whether repeating may help. */
function helps(error: unknown): error is Error {
  return storeMayReturn(error) || error instanceof LogUnavailableError;
}
