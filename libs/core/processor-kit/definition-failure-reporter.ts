import { BackgroundLoop } from '#engine';
import { ProblemError } from '#api';
import type { Logger } from '#telemetry';

interface DefinitionFailureReporterOptions {
  /**
   * Writes the failure reason into the definition of a projection or pipeline.
   * @param isStill Returns whether the reason still applies.
   */
  report(id: string, reason: string, isStill: () => boolean): Promise<void>;
  logger: Logger;
  /**
   * Milliseconds from a failure to its report. If the definition is reverted within this time, the failure is not
   * reported.
   */
  delayMs: number;
  onFailure(error: unknown): void;
}

/**
 * Writes the reason why a projection or pipeline cannot run into its definition. The reporter retries while the
 * definitions cannot be changed.
 */
export class DefinitionFailureReporter {
  /**
   * The reasons why generations or jobs cannot start with the current definitions, by the id of the generation or job.
   */
  private invalid: ReadonlyMap<string, string> = new Map();
  /**
   * The reasons why running generations or jobs cannot continue, by the id of the generation or job. An entry is
   * removed when it is reported.
   */
  private readonly lost = new Map<string, string>();
  private readonly poll: BackgroundLoop;

  constructor(private readonly options: DefinitionFailureReporterOptions) {
    this.poll = new BackgroundLoop({
      ...{ logger: options.logger, retryMs: options.delayMs },
      onFailure: (error) => options.onFailure(error),
      run: () => this.report(),
      mayReturn: (error) => error instanceof ProblemError,
      complaint: 'a definition could not be changed; retrying later',
    });
  }

  /** Replaces the set of generations or jobs that cannot start, with the reasons by id. */
  follow(invalid: ReadonlyMap<string, string>): void {
    this.invalid = invalid;
    if (invalid.size > 0) this.poll.soon(this.options.delayMs);
  }

  /** Reports that a running generation or job cannot continue, with the reason. */
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
