import {
  Checkpointer,
  type GarbageCollection,
  Reconciler,
  KafkaOrClickHouseRetrier,
  WorkShutdown,
  type LagGauge,
  type OwnedPartition,
} from '#engine';
import { latestGeneration } from '#features/projections/definition';
import { systemActor, type Definitions } from '#registry';
import type { EventReader, EventWriter, KeyedStateStore } from '#store';
import type { Tracing } from '#telemetry';
import {
  DefinitionFailureReporter,
  type ProcessorTask,
  type StatefulTaskDependencies,
  StaleDefinitionMetricsRemover,
} from '#processor-kit';
import { collectGenerations } from './generation-collection.js';
import { DesiredGenerationSelector, type DesiredGeneration } from './desired-generations.js';
import { SharedKeyStateCache } from './shared-key-state-cache.js';
import { GenerationPromoter } from './generation-promoter.js';
import { RunningGeneration, type ProjectionDependencies } from './running-generation.js';
import { saveStates, type ProjectionCheckpointer } from './save-states.js';
import { BackfillFromStore } from './backfill-from-store.js';
import {
  projectionEvents,
  projectionFailed,
  projectionDuplicates,
  projectionUnstored,
  projectionLastProgress,
  projectionGenerations,
  projectionLagRecords,
  projectionLagSeconds,
} from './projection-metrics.js';

export interface ProjectionsProcessorOptions extends StatefulTaskDependencies {
  definitions: Pick<Definitions, 'projections' | 'stream' | 'onChange' | 'ageMs'>;
  writer: Pick<KeyedStateStore, 'save' | 'load' | 'progressOf' | 'remove' | 'owners'> &
    Pick<EventWriter, 'appendDeadLetters'>;
  /** Reads stored events whose records Kafka no longer has. */
  reader: Pick<EventReader, 'inLogOrder'>;
  tracing?: Tracing | undefined;
  retryDelays?: { firstDelayMs: number; longestDelayMs: number };
  /** Maximum milliseconds between two polls of the progress of a generation that has not caught up yet. */
  lookMs?: number;
  /** Returns the current time in milliseconds since 1970. */
  now?: () => number;
}

/** Maximum number of partitions that fold a batch, and load keys from the store, at the same time. */
const foldingAtOnce = 4;
/** Maximum number of generations that catch up at the same time, without generations that already serve. */
const mostBuilding = 2;

const metricsOfProjections = [
  projectionEvents,
  projectionFailed,
  projectionDuplicates,
  projectionUnstored,
  projectionLastProgress,
];

const lag: LagGauge = {
  set: (projection, { events, seconds }) => {
    projectionLagRecords.set({ projection }, events);
    projectionLagSeconds.set({ projection }, seconds);
  },
  remove: (projection) => {
    projectionLagRecords.remove({ projection });
    projectionLagSeconds.remove({ projection });
  },
};

/** Runs all projections: folds the events of their sources and saves the resulting states in ClickHouse. */
export class ProjectionsProcessor implements ProcessorTask {
  readonly name = 'projections';
  readonly lag = lag;
  private readonly retry: KafkaOrClickHouseRetrier;
  private readonly checkpointer: ProjectionCheckpointer;
  private readonly selection: DesiredGenerationSelector;
  private readonly generations: Reconciler<DesiredGeneration, RunningGeneration>;
  private readonly promotion: GenerationPromoter;
  private readonly failures: DefinitionFailureReporter;
  private readonly collection: GarbageCollection<string>;
  private readonly shutdown: WorkShutdown;
  private readonly names = new StaleDefinitionMetricsRemover((projection) => {
    for (const metric of metricsOfProjections) metric.remove({ projection });
  });

  constructor(private readonly options: ProjectionsProcessorOptions) {
    const { log, definitions, writer, progress, logger, topics, tracing, lookMs = 1000 } = options;
    const shutdown = new WorkShutdown((error) => options.onFailure(error));
    this.shutdown = shutdown;
    const onFailure = (error: unknown): void => shutdown.fail(error);
    const retry = new KafkaOrClickHouseRetrier({
      logger,
      failedAttempt: () => progress.attempted(),
      ...options.retryDelays,
    });
    this.retry = retry;
    const saving = { writer, retry, tracing, stopped: shutdown.signal };
    this.checkpointer = new Checkpointer({
      save: (all) => saveStates(saving, all),
      saved: ({ name }) => this.saved(name),
      ...{ onFailure, intervalMs: options.saveIntervalMs, most: options.unsaved, permits: foldingAtOnce },
    });
    this.selection = new DesiredGenerationSelector(definitions, mostBuilding);
    this.collection = collectGenerations({ definitions, writer, logger, onFailure });
    this.promotion = new GenerationPromoter({
      ...{ definitions, topics, logger, onFailure, admin: log.admin, intervalMs: lookMs },
      replaced: (id) => this.collection.soon(id),
    });
    this.failures = new DefinitionFailureReporter({
      ...{ logger, onFailure, delayMs: lookMs },
      report: (id, reason, isStill) => this.report(id, reason, isStill),
    });
    const admin = log.admin;
    const windowRecords = options.idWindows.bounds.records;
    const dependencies: ProjectionDependencies = {
      ...{ ...options, retry, onFailure, now: options.now ?? Date.now, checkpointer: this.checkpointer },
      keys: new SharedKeyStateCache(options.cache),
      history: new BackfillFromStore({ ...options, admin, retry, windowRecords }),
      giveUp: (generation, reason) => this.failures.giveUp(generation, reason),
    };
    this.generations = new Reconciler({
      ...{ definitions, onFailure, desired: () => this.desired() },
      make: (desired) => this.run(desired, dependencies),
      stopping: ({ name }, build) => logger.info({ projection: name, build }, 'stopping'),
    });
  }

  start(): void {
    this.generations.start();
    this.collection.start();
  }

  /** Yields the partitions of all generations that are assigned to this process now. */
  *partitions(): Iterable<OwnedPartition> {
    for (const generation of this.generations) for (const { partition } of generation) yield partition;
  }

  /**
   * The engine (Kafka or ClickHouse) to which a failed call is being repeated, and the error; undefined while no call
   * is repeated.
   */
  get complaint(): string | undefined {
    return this.retry.complaint;
  }

  /** Saves the states of the generation with this consumer group early, because a reader waits for the states. */
  flushSoon(group: string): void {
    for (const generation of this.generations) if (generation.group === group) generation.flushSoon();
  }

  /**
   * Stops taking batches, saves and commits the states, and leaves the consumer groups. Events whose states cannot be
   * saved within `flushMs` milliseconds are read again by the next owner of the partition.
   */
  async close(flushMs: number): Promise<void> {
    await this.shutdown.within(flushMs, (givenUp) => this.generations.close(givenUp));
    this.checkpointer.abandon();
    await Promise.all([this.promotion.stop(), this.failures.stop(), this.collection.stop()]);
  }

  private desired(): Map<string, DesiredGeneration> {
    const { desired, invalid } = this.selection.now();
    this.promotion.follow(desired.filter(({ isBuilding }) => isBuilding));
    this.failures.follow(invalid);
    this.names.follow(this.options.definitions.projections.all().map(({ name }) => name));
    projectionGenerations.set(desired.length);
    return new Map(desired.map((one) => [one.compiled.build.id, one]));
  }

  private run(desired: DesiredGeneration, dependencies: ProjectionDependencies): RunningGeneration {
    const { name, compiled, isBuilding } = desired;
    const { id: build, version } = compiled.build;
    this.options.logger.info({ projection: name, build, version, building: isBuilding }, 'running');
    return new RunningGeneration(desired, dependencies);
  }

  private saved(projection: string): void {
    projectionLastProgress.set({ projection }, (this.options.now ?? Date.now)() / 1000);
    this.options.progress.moved();
  }

  private async report(build: string, reason: string, isStill: () => boolean): Promise<void> {
    const { definitions, logger } = this.options;
    const { projections } = definitions;
    const name = projections
      .all()
      .find(({ serving, building }) => [serving?.id, building?.id].includes(build))?.name;
    if (name === undefined) return;
    const { changed } = await projections.change(
      name,
      (current) => {
        const isLatest = current !== undefined && latestGeneration(current).id === build;
        return isLatest && current.failure === null && isStill() ? { ...current, failure: reason } : current;
      },
      systemActor,
    );
    if (changed) logger.error({ projection: name, build, reason }, 'projection failed');
  }
}
