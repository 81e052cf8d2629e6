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
  /** Milliseconds from a failure to its report. A definition that is reverted within this time is not reported. */
  delayMs: number;
  onFailure(error: unknown): void;
}

/** Writes into a definition why it cannot run. Retries while the definitions cannot be changed. */
export class DefinitionFailureReporter {
  /** Why generations or jobs cannot start with the current definitions, by their ids. */
  private invalid: ReadonlyMap<string, string> = new Map();
  /** Why running generations or jobs cannot continue, by their ids. An entry is removed when it is reported. */
  private readonly lost = new Map<string, string>();
  private readonly poll: BackgroundLoop;

  constructor(private readonly options: DefinitionFailureReporterOptions) {
    this.poll = new BackgroundLoop({
      logger: options.logger,
      retryMs: options.delayMs,
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

/** Removes the metrics of projections or pipelines that are no longer defined. */
export class StaleDefinitionMetricsRemover {
  private names: ReadonlySet<string> = new Set();

  constructor(private readonly forget: (name: string) => void) {}

  /** Replaces the set of defined names, and calls `forget` for each name that is no longer defined. */
  follow(names: readonly string[]): void {
    const before = this.names;
    this.names = new Set(names);
    for (const name of before) if (!this.names.has(name)) this.forget(name);
  }
}
