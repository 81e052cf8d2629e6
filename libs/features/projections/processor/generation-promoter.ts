import { Backoff } from '#async';
import { BackgroundLoop } from '#engine';
import { ProblemError } from '#api';
import type { TopicAndGroupNames } from '#event';
import { LogUnavailableError, UnknownTopicError, type TopicAdmin } from '#kafka';
import { systemActor, type Definitions } from '#registry';
import { type ProjectionGeneration } from '#features/projections/definition';
import type { Logger } from '#telemetry';
import { CatchUpCheck } from './catch-up-check.js';
import type { DesiredGeneration } from './desired-generations.js';

interface GenerationPromoterOptions {
  definitions: Pick<Definitions, 'projections'>;
  admin: TopicAdmin;
  topics: TopicAndGroupNames;
  logger: Logger;
  /**
   * Maximum milliseconds between two polls of a generation's progress. Polls are more frequent soon after a generation
   * starts.
   */
  intervalMs: number;
  /** Called when another generation has replaced the serving generation with this id. */
  replaced(id: string): void;
  onFailure(error: unknown): void;
}

interface BuildingGeneration {
  readonly caughtUp: CatchUpCheck;
  desired: DesiredGeneration;
}

const firstPollMs = 100;

/** Replaces the serving generation of a projection by a new generation when the new one has caught up with the log. */
export class GenerationPromoter {
  private readonly building = new Map<string, BuildingGeneration>();
  private readonly backoff: Backoff;
  private readonly poll: BackgroundLoop;

  constructor(private readonly options: GenerationPromoterOptions) {
    const { intervalMs, logger } = options;
    this.backoff = new Backoff(Math.min(firstPollMs, intervalMs), intervalMs);
    this.poll = new BackgroundLoop({
      ...{ logger, retryMs: intervalMs, onFailure: (error) => options.onFailure(error) },
      run: () => this.check(),
      mayReturn,
      complaint: 'a generation could not be promoted; retrying later',
    });
  }

  /** Replaces the set of generations that have not caught up with the log yet. */
  follow(desired: readonly DesiredGeneration[]): void {
    const ids = new Set(desired.map(({ compiled }) => compiled.build.id));
    for (const id of this.building.keys()) if (!ids.has(id)) this.building.delete(id);
    for (const one of desired) {
      const { build } = one.compiled;
      const known = this.building.get(build.id);
      const caughtUp = known?.caughtUp ?? new CatchUpCheck(this.options, build);
      this.building.set(build.id, { caughtUp, desired: one });
      if (known) continue;
      this.backoff.reset();
      this.poll.soon(this.backoff.next());
    }
  }

  async stop(): Promise<void> {
    await this.poll.stop();
  }

  /**
   * Checks all generations that have not caught up with the log yet. Most generations catch up quickly, so the polls of
   * a slow generation become less frequent.
   */
  private async check(): Promise<number | undefined> {
    let failure: Error | undefined;
    for (const { caughtUp, desired } of this.building.values())
      try {
        if (await caughtUp.is(desired.streams)) await this.promote(desired);
      } catch (error) {
        // An error of one generation does not delay the promotion of other generations.
        if (!mayReturn(error)) throw error;
        failure = error;
      }
    if (failure) throw failure;
    return this.building.size > 0 ? this.backoff.next() : undefined;
  }

  private async promote({ name, compiled }: DesiredGeneration): Promise<void> {
    const { logger, definitions } = this.options;
    const { id } = compiled.build;
    const former: ProjectionGeneration[] = [];
    const { changed } = await definitions.projections.change(
      name,
      (current) => {
        if (current?.building?.id !== id) return current;
        if (current.serving) former.push(current.serving);
        return { ...current, serving: current.building, building: null };
      },
      systemActor,
    );
    if (!changed) return;
    logger.info({ projection: name, build: id }, 'the generation has caught up and serves now');
    const last = former.at(-1);
    if (last) this.options.replaced(last.id);
  }
}

/**
 * Returns whether a retry may succeed after this error. An unknown topic counts as such an error, because a deleted
 * stream is soon removed from the sources.
 */
function mayReturn(error: unknown): error is Error {
  return (
    error instanceof LogUnavailableError ||
    error instanceof UnknownTopicError ||
    error instanceof ProblemError
  );
}
