import {
  Checkpointer,
  Reconciler,
  Retry,
  Shutdown,
  type KnownErasures,
  type OwnedPartition,
  type Progress,
} from '#engine';
import type { TopicNames } from '#event';
import { systemActor, type Definitions, type PipelineDefinition } from '#registry';
import type { Log, Producer } from '#log';
import type { EventReader, EventWriter, PipelineReader, PipelineWriter, ProjectionReader } from '#store';
import type { IdWindowBounds } from '#dataflow';
import { metrics, type Logger, type Tracing } from '#telemetry';
import type { Deliverer } from '#webhooks';
import { FailureReports } from '../failure-reports.js';
import { ShownNames } from '../shown-names.js';
import { EmittedSchemas } from './emitted-schemas.js';
import { Emitter } from './emitter.js';
import { InternalAppends } from './internal-appends.js';
import { Job } from './job.js';
import { RowBudget, type RowBounds } from './partition-rows.js';
import { ProjectionTables } from './projection-tables.js';
import type { PartitionState } from './partition-state.js';
import type { JobCheckpointer, Pace, RunParts } from './run-parts.js';
import { RunRemoval } from './run-removal.js';
import { saveStretches } from './save-stretches.js';
import { TargetStreams } from './target-streams.js';
import { RunSelection, type WantedRun } from './wanted-runs.js';
import { forgetAttempts, showAttempts } from './webhook-figures.js';
import { WrittenBefore } from './written-before.js';

export interface PipelinesOptions {
  log: Log;
  producer: Pick<Producer, 'append'>;
  topics: TopicNames;
  definitions: Pick<
    Definitions,
    'pipelines' | 'projections' | 'schemas' | 'stream' | 'createStream' | 'onChange' | 'ageMs'
  >;
  writer: PipelineWriter & Pick<PipelineReader, 'progress'> & Pick<EventWriter, 'appendDeadLetters'>;
  reader: Pick<EventReader, 'storedIds'>;
  projections: Pick<ProjectionReader, 'find'>;
  webhooks: Pick<Deliverer, 'deliver' | 'hindrance'>;
  erasures: KnownErasures;
  progress: Progress;
  logger: Logger;
  tracing?: Tracing | undefined;
  window: IdWindowBounds;
  /** Rows kept in memory, and about how many characters they may take. */
  cache: RowBounds;
  /** What may wait to be saved. */
  unsaved: { keys: number; weight: number };
  saveIntervalMs: number;
  retryDelays?: { firstDelayMs: number; longestDelayMs: number };
  pace?: Pace;
  /** Milliseconds since 1970. */
  now?: () => number;
  /** It cannot go on by itself; called once. The process should end. */
  onFailure(error: Error): void;
}

const defaultPace: Pace = { tellMs: 200, quietSaveMs: 5000, goneMs: 10_000 };
/** Partitions that compute at the same time. */
const computingAtOnce = 4;
/** Milliseconds until a definition says that its job cannot go on. */
const reportMs = 1000;

const metricsOfPipelines = [
  metrics.pipelineProcessed,
  metrics.pipelineEmitted,
  metrics.pipelineDropped,
  metrics.pipelineLate,
  metrics.pipelineFailed,
  metrics.pipelineDuplicates,
  metrics.pipelineWatermark,
  metrics.pipelineLastProgress,
];

/** Runs the pipelines that are defined. */
export class Pipelines {
  private readonly retry: Retry;
  private readonly checkpointer: JobCheckpointer;
  private readonly selection: RunSelection;
  private readonly jobs: Reconciler<WantedRun, Job>;
  private readonly failures: FailureReports;
  private readonly removal: RunRemoval;
  private readonly shutdown: Shutdown;
  private readonly names = new ShownNames((pipeline) => {
    for (const metric of metricsOfPipelines) metric.remove({ pipeline });
    forgetAttempts(pipeline);
  });

  constructor(private readonly options: PipelinesOptions) {
    const { log, topics, definitions, writer, progress, logger, webhooks, now = Date.now } = options;
    const shutdown = new Shutdown((error) => options.onFailure(error));
    this.shutdown = shutdown;
    const onFailure = (error: unknown): void => shutdown.fail(error);
    const retry = new Retry({ logger, failedAttempt: () => progress.attempted(), ...options.retryDelays });
    this.retry = retry;
    const saving = { writer, retry, stopped: shutdown.signal };
    this.checkpointer = new Checkpointer({
      save: (all) => saveStretches(saving, all),
      saved: ({ name }) => this.saved(name),
      ...{ onFailure, intervalMs: options.saveIntervalMs, most: options.unsaved, permits: computingAtOnce },
    });
    this.selection = new RunSelection(definitions, webhooks);
    this.failures = new FailureReports({
      ...{ logger, onFailure, delayMs: reportMs },
      report: (run, reason, isStill) => this.report(run, reason, isStill),
    });
    const parts = this.partsOf({ retry, now, onFailure });
    this.jobs = new Reconciler({
      ...{ definitions, onFailure, desired: () => this.desired() },
      make: (wanted) => this.run(wanted, parts),
      stopping: ({ name }, run) => logger.info({ pipeline: name, run }, 'stopping'),
    });
    this.removal = new RunRemoval({
      ...{ definitions, writer, topics, logger, onFailure, now, admin: log.admin },
      partitions: () => this.states(),
    });
  }

  start(): void {
    this.jobs.start();
    this.removal.start();
  }

  /** The partitions that this process has now. */
  *partitions(): Iterable<OwnedPartition> {
    for (const { partition } of this.states()) yield partition;
  }

  /** What is being repeated because an engine does not take it, and why; undefined when all goes well. */
  get complaint(): string | undefined {
    return this.retry.complaint;
  }

  /** Saves and commits what has been done, takes nothing more, leaves the groups. */
  async close(flushMs: number): Promise<void> {
    await this.shutdown.within(flushMs, (givenUp) => this.jobs.close(givenUp));
    this.checkpointer.abandon();
    await Promise.all([this.failures.stop(), this.removal.stop()]);
  }

  private *states(): Iterable<PartitionState> {
    for (const job of this.jobs) for (const { state } of job) yield state;
  }

  private partsOf(made: Pick<RunParts, 'retry' | 'now' | 'onFailure'>): RunParts {
    const { log, topics, definitions, pace = defaultPace, projections, webhooks, erasures } = this.options;
    const { writer, window, progress, logger, reader, cache, tracing } = this.options;
    const { retry, now } = made;
    const producer = new InternalAppends({ producer: this.options.producer, topics, goneMs: pace.goneMs });
    const known = { reader, definitions, topics, retry, progress, logger, window, now, admin: log.admin };
    return {
      ...{ log, topics, producer, writer, erasures, window, progress, pace, tracing, ...made },
      ...{ checkpointer: this.checkpointer, projections: definitions.projections },
      emitter: new Emitter({
        ...{ producer, topics, retry, webhooks, now: () => now() * 1000 },
        streams: new TargetStreams(definitions),
        schemas: new EmittedSchemas(definitions),
      }),
      tables: new ProjectionTables({ definitions, store: projections, now }),
      writtenBefore: (takeover, signal) => WrittenBefore.since(known, takeover, signal),
      budget: new RowBudget(cache),
      giveUp: (run, reason) => this.failures.giveUp(run, reason),
    };
  }

  private desired(): Map<string, WantedRun> {
    const { wanted, impossible } = this.selection.now();
    this.failures.follow(new Map(impossible.map(({ run, reason }) => [run, reason])));
    this.names.follow(this.options.definitions.pipelines.all().map(({ name }) => name));
    for (const { definition, pipeline } of wanted)
      if (pipeline.webhooks.length > 0) showAttempts(definition.name);
    metrics.pipelineRuns.set(wanted.length);
    return new Map(wanted.map((one) => [one.definition.run.id, one]));
  }

  private run(wanted: WantedRun, parts: RunParts): Job {
    const { name, version, run } = wanted.definition;
    this.options.logger.info({ pipeline: name, run: run.id, version }, 'running');
    return new Job(wanted, parts);
  }

  private saved(pipeline: string): void {
    metrics.pipelineLastProgress.set({ pipeline }, (this.options.now ?? Date.now)() / 1000);
    this.options.progress.moved();
  }

  private async report(run: string, reason: string, isStill: () => boolean): Promise<void> {
    const { definitions, logger } = this.options;
    const found = definitions.pipelines.all().find((one) => one.run.id === run);
    if (!found) return;
    // A loop that a gateway has just written is taken back at once, and what made a definition invalid may have changed.
    const fails = (current: PipelineDefinition | undefined): current is PipelineDefinition =>
      current?.run.id === run && current.failure === null && isStill();
    const { changed } = await definitions.pipelines.change(
      found.name,
      (current) => (fails(current) ? { ...current, failure: reason } : current),
      systemActor,
    );
    if (changed) logger.error({ pipeline: found.name, run, reason }, 'cannot go on');
  }
}
