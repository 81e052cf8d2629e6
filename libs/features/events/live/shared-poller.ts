import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '#telemetry';
import { abortable } from '#gateway-kit';

/** What a `SharedPoller` polls, how often, and while whom it serves. */
interface SharedPollerOptions {
  /** Whether anybody follows. Polling ends when nobody does, and resumes with the next `start`. */
  isFollowed(): boolean;
  /** Polls once. Resolves with true when more is available already: the next poll then follows without a pause. */
  readonly look: () => Promise<boolean>;
  logger: Logger;
  /** Name in log lines for what waits while polls fail, such as `live streams`. */
  what: string;
  /** Milliseconds between two polls. */
  pollMs: number;
  /** Milliseconds between a failed poll and the next attempt. */
  retryMs: number;
}

/** Runs one poll after the other as long as `isFollowed` returns true. All followers wait for the same poll. */
export class SharedPoller {
  /** The error of the last poll; undefined after a success. */
  failure: Error | undefined;
  private running = false;
  private round = newRound();

  constructor(private readonly options: SharedPollerOptions) {}

  /** Starts polling, if it is not running already. */
  start(): void {
    if (!this.running) void this.run();
  }

  /**
   * Resolves after the next poll, whether it succeeds or fails.
   * @throws the signal's reason
   */
  next(signal: AbortSignal): Promise<void> {
    return abortable(this.round.ended, signal);
  }

  private async run(): Promise<void> {
    this.running = true;
    while (this.options.isFollowed()) {
      const pauseMs = await this.look();
      const { end } = this.round;
      this.round = newRound();
      end();
      await sleep(pauseMs, undefined, { ref: false });
    }
    this.running = false;
  }

  private async look(): Promise<number> {
    const { look, logger, what, pollMs, retryMs } = this.options;
    try {
      const more = await look();
      if (this.failure) logger.info(`${what} continue`);
      this.failure = undefined;
      return more ? 0 : pollMs;
    } catch (error) {
      if (!this.failure) logger.warn({ err: error }, `${what} wait, because a poll failed`);
      this.failure = error as Error;
      return retryMs;
    }
  }
}

function newRound(): { ended: Promise<void>; end: () => void } {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  return { ended, end };
}
