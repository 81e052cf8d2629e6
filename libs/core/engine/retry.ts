import { setTimeout as sleep } from 'node:timers/promises';
import { Backoff } from '#async';
import { LogUnavailableError } from '#kafka';
import { isRetryableStoreError } from '#store';
import type { Logger } from '#telemetry';

/** Logger and delays of an `KafkaOrClickHouseRetrier`. */
interface RetryOptions {
  logger: Logger;
  /** Called after each failed attempt, so that a consumer that waits for a retry is not taken for a hanging one. */
  failedAttempt?(): void;
  /** Milliseconds before the second attempt; the delay doubles with each further attempt. Default: 100. */
  firstDelayMs?: number;
  longestDelayMs?: number;
}

/**
 * Repeats calls to Kafka or ClickHouse, without a time limit, while they fail with an error that a retry may fix.
 * Delays grow up to a limit and are randomized, so that processes do not retry at the same moment. One log line is
 * written when an engine becomes unavailable, and one when it is available again.
 */
export class KafkaOrClickHouseRetrier {
  /** Calls that have failed at least once and are being retried. */
  private readonly waiting = new Map<symbol, { engine: string; reason: string }>();

  constructor(private readonly options: RetryOptions) {}

  /** The engine and the error of a call that is being retried now; undefined if no call is being retried. */
  get complaint(): string | undefined {
    const [first] = this.waiting.values();
    return first && `${first.engine}: ${first.reason}`;
  }

  /**
   * Repeats the call until it succeeds, and resolves with its result.
   * @throws the signal's reason when it is aborted between attempts; immediately any error that a retry cannot solve
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
    this.options.logger.warn(
      { engine, reason: error.message },
      'unavailable: retrying until it is available again',
    );
  }

  /** Logs that the engine is available again, when no call to it is retried any more. */
  private isBack(engine: string, call: symbol): void {
    if (!this.waiting.delete(call) || this.waits(engine)) return;
    this.options.logger.info({ engine }, 'available again');
  }

  private waits(engine: string): boolean {
    return [...this.waiting.values()].some((one) => one.engine === engine);
  }
}

/** Returns whether a retry may succeed after this error. */
function helps(error: unknown): error is Error {
  return isRetryableStoreError(error) || error instanceof LogUnavailableError;
}
