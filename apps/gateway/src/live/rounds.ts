import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '#telemetry';
import { abortable } from './abortable.js';

export interface RoundsOptions {
  /** Whether anybody follows. The rounds end when nobody does, and begin with the next `start`. */
  isFollowed(): boolean;
  /** Looks once. Returns whether more is waiting already: then the next look comes at once. */
  readonly look: () => Promise<boolean>;
  logger: Logger;
  /** What waits while looks fail, as log lines name it: `live streams`. */
  what: string;
  /** Milliseconds between two looks. */
  pollMs: number;
  /** Milliseconds until it is tried again, after an engine has failed. */
  retryMs: number;
}

/** Looks again and again, for everyone at once, while somebody follows. */
export class Rounds {
  /** Of the last look. */
  failure: Error | undefined;
  private running = false;
  private round = newRound();

  constructor(private readonly options: RoundsOptions) {}

  /** Does nothing where it runs already. */
  start(): void {
    if (!this.running) void this.run();
  }

  /**
   * Resolves when it has looked once more, with success or not.
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
      if (this.failure) logger.info(`${what} go on`);
      this.failure = undefined;
      return more ? 0 : pollMs;
    } catch (error) {
      if (!this.failure) logger.warn({ err: error }, `${what} wait`);
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
