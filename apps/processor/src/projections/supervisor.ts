import { setTimeout as sleep } from 'node:timers/promises';
import { LogUnavailableError, UnknownTopicError } from '#log';
import type { Logger } from '#telemetry';
import { metrics } from '#telemetry';
import { ProblemError } from '#api';
import { systemActor, type Definitions, type ProjectionDefinition } from '#registry';
import type { BuildRemoval } from './build-removal.js';
import { CaughtUp } from './caught-up.js';
import type { PartitionProjector } from './partition-projector.js';
import { Runner, type RunnerParts } from './runner.js';
import { BuildSelection, type ImpossibleBuild, type WantedBuild } from './wanted-builds.js';

export interface SupervisorOptions {
  definitions: Pick<Definitions, 'projections' | 'stream' | 'onChange'>;
  /** What the runners share. */
  parts: RunnerParts;
  removal: Pick<BuildRemoval, 'soon'>;
  logger: Logger;
  /** Milliseconds between two looks at the builds that are being made, at most: soon after one has begun there are more. */
  intervalMs?: number;
}

/** Builds that are made at a time, beside those that serve. */
const mostBuilding = 2;
const longestLookMs = 1000;
const firstLookMs = 100;
/** What a runner that is not wanted any more may take to save. */
const stopMs = 10_000;

const ofProjections = [
  metrics.projectionEvents,
  metrics.projectionFailed,
  metrics.projectionDuplicates,
  metrics.projectionUnstored,
  metrics.projectionLastProgress,
];

/**
 * Keeps a runner for each build that shall run, as the definitions change; and has a build serve when it has been
 * through the log.
 */
export class Supervisor {
  private readonly runners = new Map<string, Runner>();
  private readonly stopping = new Map<string, Promise<void>>();
  private readonly building = new Map<
    string,
    { name: string; caughtUp: CaughtUp; streams: readonly string[] }
  >();
  private readonly selection: BuildSelection;
  private names = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private lookMs = firstLookMs;
  private looking: Promise<void> | undefined;
  private closed = false;
  private stopListening: () => void = () => undefined;

  constructor(private readonly options: SupervisorOptions) {
    this.selection = new BuildSelection(options.definitions, mostBuilding);
  }

  /** Follows the definitions from now on. */
  start(): void {
    const follow = (): void => {
      try {
        this.follow();
      } catch (error) {
        this.options.parts.onFailure(error);
      }
    };
    this.stopListening = this.options.definitions.onChange(follow);
    follow();
    this.schedule();
  }

  /** The partitions that this process has. */
  *partitions(): Iterable<PartitionProjector> {
    for (const runner of this.runners.values()) yield* runner;
  }

  /** The build's runner has saved the partition up to `next`. */
  saved(part: PartitionProjector, next: number): void {
    this.runners.get(part.build)?.saved(part, next);
  }

  /** Saves what was read and leaves every group; what cannot be saved before `givenUp` resolves is read again by others. */
  async close(givenUp: Promise<unknown>): Promise<void> {
    this.closed = true;
    this.stopListening();
    clearTimeout(this.timer);
    await Promise.all([...this.runners.values()].map((runner) => runner.stop(givenUp)));
    await Promise.all([...this.stopping.values(), this.looking]);
  }

  private follow(): void {
    if (this.closed) return;
    const { wanted } = this.selection.now();
    const ids = new Set(wanted.map(({ compiled }) => compiled.build.id));
    for (const [id, runner] of this.runners) if (!ids.has(id)) this.stop(id, runner);
    for (const id of this.building.keys()) if (!ids.has(id)) this.building.delete(id);
    for (const one of wanted) this.run(one);
    this.forgetNames(new Set(this.options.definitions.projections.all().map(({ name }) => name)));
    metrics.projectionBuilds.set(this.runners.size);
  }

  private run({ name, compiled, streams, isBuilding }: WantedBuild): void {
    const { parts, logger } = this.options;
    const { id, version } = compiled.build;
    // It is leaving its group still: once it has, there is another look.
    if (this.stopping.has(id)) return;
    let runner = this.runners.get(id);
    if (!runner) {
      runner = new Runner(name, compiled, parts);
      this.runners.set(id, runner);
      logger.info({ projection: name, build: id, version, building: isBuilding }, 'running');
    }
    if (!isBuilding) this.building.delete(id);
    else {
      const caughtUp = this.building.get(id)?.caughtUp;
      if (!caughtUp) this.lookSoon();
      const made = caughtUp ?? new CaughtUp({ admin: parts.log.admin, topics: parts.topics }, compiled.build);
      this.building.set(id, { name, streams, caughtUp: made });
    }
    runner.follow(streams).catch((error: unknown) => this.closed || parts.onFailure(error));
  }

  private stop(id: string, runner: Runner): void {
    const { logger, parts } = this.options;
    if (this.stopping.has(id)) return;
    this.building.delete(id);
    logger.info({ projection: runner.name, build: id }, 'stopping');
    const stopped = runner.stop(sleep(stopMs, undefined, { ref: false })).then(
      () => {
        this.stopping.delete(id);
        this.runners.delete(id);
        this.follow();
      },
      (error: unknown) => parts.onFailure(error),
    );
    this.stopping.set(id, stopped);
  }

  private forgetNames(names: Set<string>): void {
    for (const name of this.names) {
      if (names.has(name)) continue;
      const label = { projection: name };
      for (const metric of ofProjections) metric.remove(label);
    }
    this.names = names;
  }

  /** Most builds are through the log within moments; the longer one takes, the less often it is asked how far it is. */
  private schedule(): void {
    const { intervalMs = longestLookMs } = this.options;
    const waitMs = Math.min(this.lookMs, intervalMs);
    this.lookMs = Math.min(waitMs * 2, intervalMs);
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.looking = this.look().finally(() => {
        this.looking = undefined;
        if (!this.closed) this.schedule();
      });
    }, waitMs);
  }

  private lookSoon(): void {
    this.lookMs = firstLookMs;
    if (!this.timer) return;
    clearTimeout(this.timer);
    this.schedule();
  }

  private async look(): Promise<void> {
    for (const impossible of this.selection.now().impossible)
      await this.attempt(() => this.giveUp(impossible));
    for (const [id, { name, caughtUp, streams }] of this.building)
      await this.attempt(async () => {
        if (await caughtUp.is(streams)) await this.takeOver(name, id);
      });
  }

  /** Repeating helps against what the log does not take now; a topic that is gone is in no source for long. */
  private async attempt(work: () => Promise<void>): Promise<void> {
    if (this.closed) return;
    try {
      await work();
    } catch (error) {
      const later =
        error instanceof LogUnavailableError ||
        error instanceof UnknownTopicError ||
        error instanceof ProblemError;
      if (!later) return this.options.parts.onFailure(error);
      this.options.logger.debug({ reason: error.message }, 'a projection could not be changed: trying again');
    }
  }

  private async takeOver(name: string, id: string): Promise<void> {
    const { removal, logger } = this.options;
    let former: ProjectionDefinition['serving'] = null;
    const { changed } = await this.change(name, (current) => {
      if (current.building?.id !== id) return current;
      former = current.serving;
      return { ...current, serving: current.building, building: null };
    });
    if (!changed) return;
    logger.info({ projection: name, build: id }, 'has been through the log: it serves now');
    if (former) removal.soon((former as NonNullable<ProjectionDefinition['serving']>).id);
  }

  private async giveUp({ name, build, reason }: ImpossibleBuild): Promise<void> {
    const { changed } = await this.change(name, (current) => {
      const isOfIt = current.serving?.id === build || current.building?.id === build;
      return isOfIt && current.failure === null ? { ...current, failure: reason } : current;
    });
    if (changed) this.options.logger.error({ projection: name, build, reason }, 'cannot go on');
  }

  private change(
    name: string,
    next: (current: ProjectionDefinition) => ProjectionDefinition,
  ): Promise<{ changed: boolean }> {
    const { projections } = this.options.definitions;
    return projections.change(name, (current) => current && next(current), systemActor);
  }
}
