import { Poll } from '#engine';
import { ProblemError } from '#api';
import type { Logger } from '#telemetry';

export interface FailureReportsOptions {
  /**
   * Has the definition say why it cannot go on.
   * @param isStill Whether that is still the reason.
   */
  report(id: string, reason: string, isStill: () => boolean): Promise<void>;
  logger: Logger;
  /** Milliseconds between what fails and its report: a definition that is taken back at once is not reported. */
  delayMs: number;
  onFailure(error: unknown): void;
}

/** Has definitions say that what they define cannot go on; tries again while they cannot be changed. */
export class FailureReports {
  /** Why something cannot begin, as the definitions are now. */
  private invalid: ReadonlyMap<string, string> = new Map();
  /** Why something that was running cannot go on, until its definition says so. */
  private readonly lost = new Map<string, string>();
  private readonly poll: Poll;

  constructor(private readonly options: FailureReportsOptions) {
    this.poll = new Poll({
      ...{ logger: options.logger, retryMs: options.delayMs },
      onFailure: (error) => options.onFailure(error),
      run: () => this.report(),
      mayReturn: (error) => error instanceof ProblemError,
      complaint: 'a definition could not be changed: trying again',
    });
  }

  /** These cannot begin now, by id; others can. */
  follow(invalid: ReadonlyMap<string, string>): void {
    this.invalid = invalid;
    if (invalid.size > 0) this.poll.soon(this.options.delayMs);
  }

  /** It was running and cannot go on. */
  giveUp(id: string, reason: string): void {
    this.lost.set(id, reason);
    this.poll.soon(this.options.delayMs);
  }

  async stop(): Promise<void> {
    await this.poll.stop();
  }

  private async report(): Promise<undefined> {
    for (const [id, reason] of [...this.invalid, ...this.lost]) {
      await this.options.report(id, reason, () => this.lost.has(id) || this.invalid.get(id) === reason);
      this.lost.delete(id);
    }
    return undefined;
  }
}
