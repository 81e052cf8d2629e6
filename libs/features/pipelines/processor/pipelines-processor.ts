import {
  Checkpointer,
  type GarbageCollection,
  Reconciler,
  KafkaOrClickHouseRetrier,
  WorkShutdown,
  type LagGauge,
  type OwnedPartition,
} from '#engine';
import { systemActor, type Definitions } from '#registry';
import { type PipelineDefinition } from '#features/pipelines/definition';
import type { Producer } from '#kafka';
import type { EventReader, EventWriter, KeyedHistoryReader, KeyedStateReader, KeyedStateStore } from '#store';
import type { Tracing } from '#telemetry';
import type { WebhookDeliverer } from '#features/webhooks';
import {
  DefinitionFailureReporter,
  saveChanges,
  StaleDefinitionMetricsRemover,
  type ProcessorTask,
  type StatefulTaskDependencies,
} from '#processor-kit';
import { EmittedEventValidator } from './output/emitted-event-validator.js';
import { Sink } from './output/sink.js';
import { JobProducer } from './jobs/job-producer.js';
import { RunningJob } from './jobs/running-job.js';
import { RowCacheBudget } from './state/partition-row-cache.js';
import { HistoryLoader } from './lookups/history-loader.js';
import { SideInputLoader } from './lookups/side-input-loader.js';
import type { JobPartitionState } from './state/job-partition-state.js';
import type { JobCheckpointer, JobIntervals, JobDependencies } from './jobs/job-dependencies.js';
import { OperatorMetrics } from './jobs/operator-metrics.js';
import { collectJobs, type UnreferencedJob } from './jobs/job-garbage-collection.js';
import { TargetStreamCreator } from './output/target-stream-creator.js';
import { DesiredJobSelector, type DesiredJob } from './jobs/desired-jobs.js';
import { removeAttemptMetrics, createAttemptMetrics } from './output/webhook-stats.js';
import { OutputDeduplication } from './output/output-deduplication.js';
import {
  pipelineProcessed,
  pipelineEmitted,
  pipelineDropped,
  pipelineLate,
  pipelineFailed,
  pipelineDuplicates,
  pipelineWatermark,
  pipelineLastProgress,
  pipelineRuns,
  pipelineSavedRows,
  pipelineLagRecords,
  pipelineLagSeconds,
} from './jobs/pipeline-metrics.js';

export interface PipelinesProcessorOptions extends StatefulTaskDependencies {
  producer: Pick<Producer, 'append'>;
  definitions: Pick<
    Definitions,
    'pipelines' | 'projections' | 'schemas' | 'stream' | 'createStream' | 'onChange' | 'ageMs'
  >;
  writer: KeyedStateStore & Pick<KeyedStateReader, 'progress'> & Pick<EventWriter, 'appendDeadLetters'>;
  reader: Pick<EventReader, 'storedIds'>;
  projections: Pick<KeyedStateReader, 'find'> & KeyedHistoryReader;
  webhooks: Pick<WebhookDeliverer, 'deliver' | 'missingConfiguration'>;
  tracing?: Tracing | undefined;
  retryDelays?: { firstDelayMs: number; longestDelayMs: number };
  pace?: JobIntervals;
  /** Returns the current time in milliseconds since 1970. */
  now?: () => number;
}

const defaultPace: JobIntervals = { tellMs: 200, quietSaveMs: 5000, goneMs: 10_000 };
/** Maximum number of partitions that compute at the same time. */
const computingAtOnce = 4;
/** Milliseconds from a failure of a job until the failure is written into the pipeline's definition. */
const reportMs = 1000;

const metricsOfPipelines = [
  pipelineProcessed,
  pipelineEmitted,
  pipelineDropped,
  pipelineLate,
  pipelineFailed,
  pipelineDuplicates,
  pipelineWatermark,
  pipelineLastProgress,
];

const lag: LagGauge = {
  set: (pipeline, { events, seconds }) => {
    pipelineLagRecords.set({ pipeline }, events);
    pipelineLagSeconds.set({ pipeline }, seconds);
  },
  remove: (pipeline) => {
    pipelineLagRecords.remove({ pipeline });
    pipelineLagSeconds.remove({ pipeline });
  },
};

/** Runs the jobs of all defined pipelines in this process. */
export class PipelinesProcessor implements ProcessorTask {
  readonly name = 'pipelines';
  readonly lag = lag;
  private readonly retry: KafkaOrClickHouseRetrier;
  private readonly checkpointer: JobCheckpointer;
  private readonly selection: DesiredJobSelector;
  private readonly jobs: Reconciler<DesiredJob, RunningJob>;
  private readonly failures: DefinitionFailureReporter;
  private readonly collection: GarbageCollection<UnreferencedJob>;
  private readonly shutdown: WorkShutdown;
  private readonly stepMetrics: OperatorMetrics;
  private readonly names = new StaleDefinitionMetricsRemover((pipeline) => {
    for (const metric of metricsOfPipelines) metric.remove({ pipeline });
    removeAttemptMetrics(pipeline);
    this.stepMetrics.remove(pipeline);
  });

  constructor(private readonly options: PipelinesProcessorOptions) {
    const { log, topics, definitions, writer, progress, logger, webhooks, now = Date.now } = options;
    const shutdown = new WorkShutdown((error) => options.onFailure(error));
    this.shutdown = shutdown;
    this.stepMetrics = new OperatorMetrics((pipeline) => definitions.pipelines.get(pipeline) !== undefined);
    const onFailure = (error: unknown): void => shutdown.fail(error);
    const retry = new KafkaOrClickHouseRetrier({
      logger,
      failedAttempt: () => progress.attempted(),
      ...options.retryDelays,
    });
    this.retry = retry;
    const saving = { writer, retry, stopped: shutdown.signal };
    this.checkpointer = new Checkpointer({
      save: async (all) => pipelineSavedRows.inc(await saveChanges(saving, all)),
      saved: ({ name }) => this.saved(name),
      ...{ onFailure, intervalMs: options.saveIntervalMs, most: options.unsaved, permits: computingAtOnce },
    });
    this.selection = new DesiredJobSelector(definitions, webhooks);
    this.failures = new DefinitionFailureReporter({
      ...{ logger, onFailure, delayMs: reportMs },
      report: (run, reason, isStill) => this.report(run, reason, isStill),
    });
    const dependencies = this.jobDependencies(retry, onFailure);
    this.jobs = new Reconciler({
      ...{ definitions, onFailure, desired: () => this.desired() },
      make: (desired) => this.run(desired, dependencies),
      stopping: ({ name }, run) => logger.info({ pipeline: name, run }, 'stopping'),
    });
    this.collection = collectJobs({
      ...{ definitions, writer, topics, logger, onFailure, now, admin: log.admin },
      partitions: () => this.states(),
    });
  }

  start(): void {
    this.jobs.start();
    this.collection.start();
  }

  /** Yields the partitions of all jobs that are assigned to this process now. */
  *partitions(): Iterable<OwnedPartition> {
    for (const { partition } of this.states()) yield partition;
  }

  /**
   * The engine (Kafka or ClickHouse) to which a failed call is being repeated, and the error; undefined while no call
   * is repeated.
   */
  get complaint(): string | undefined {
    return this.retry.complaint;
  }

  /**
   * Stops taking batches, saves and commits the progress of all jobs, and leaves the consumer groups. Progress that
   * cannot be saved within `flushMs` milliseconds is lost; the next owner of the partition processes those records
   * again.
   */
  async close(flushMs: number): Promise<void> {
    await this.shutdown.within(flushMs, (givenUp) => this.jobs.close(givenUp));
    this.checkpointer.abandon();
    await Promise.all([this.failures.stop(), this.collection.stop()]);
  }

  private *states(): Iterable<JobPartitionState> {
    for (const job of this.jobs) for (const { state } of job) yield state;
  }

  private jobDependencies(
    retry: KafkaOrClickHouseRetrier,
    onFailure: (error: unknown) => void,
  ): JobDependencies {
    const { options, checkpointer, stepMetrics } = this;
    const { log, topics, definitions, projections, webhooks, idWindows, cache, tracing } = options;
    const { pace = defaultPace, now = Date.now } = options;
    const producer = new JobProducer({ producer: options.producer, topics, goneMs: pace.goneMs });
    const deduplication = { ...options, retry, now, window: idWindows.bounds, admin: log.admin };
    return {
      ...{ ...options, producer, pace, tracing, retry, now, onFailure, checkpointer, stepMetrics },
      projections: definitions.projections,
      streamId: (name) => definitions.stream(name)?.id,
      sink: new Sink({
        ...{ producer, topics, retry, webhooks, now: () => now() * 1000 },
        streams: new TargetStreamCreator(definitions),
        schemas: new EmittedEventValidator(definitions),
      }),
      tables: new SideInputLoader({
        ...{ definitions, store: projections, now },
        histories: new HistoryLoader({
          ...{ definitions, producer, topics, store: projections, logger: options.logger },
          waiting: () => options.progress.attempted(),
        }),
      }),
      deduplication: (failover, signal) => OutputDeduplication.since(deduplication, failover, signal),
      budget: new RowCacheBudget(cache),
      giveUp: (run, reason) => this.failures.giveUp(run, reason),
    };
  }

  private desired(): Map<string, DesiredJob> {
    const { desired, invalid } = this.selection.now();
    this.failures.follow(invalid);
    this.names.follow(this.options.definitions.pipelines.all().map(({ name }) => name));
    for (const { definition, pipeline } of desired)
      if (pipeline.webhooks.length > 0) createAttemptMetrics(definition.name);
    pipelineRuns.set(desired.length);
    return new Map(desired.map((one) => [one.definition.run.id, one]));
  }

  private run(desired: DesiredJob, dependencies: JobDependencies): RunningJob {
    const { name, version, run } = desired.definition;
    this.options.logger.info({ pipeline: name, run: run.id, version }, 'running');
    return new RunningJob(desired, dependencies);
  }

  private saved(pipeline: string): void {
    pipelineLastProgress.set({ pipeline }, (this.options.now ?? Date.now)() / 1000);
    this.options.progress.moved();
  }

  private async report(run: string, reason: string, isStill: () => boolean): Promise<void> {
    const { definitions, logger } = this.options;
    const found = definitions.pipelines.all().find((one) => one.run.id === run);
    if (!found) return;
    // The reason of a failure is checked again before the report: a gateway reverts a loop immediately, and an invalid
    // definition may have changed.
    const fails = (current: PipelineDefinition | undefined): current is PipelineDefinition =>
      current?.run.id === run && current.failure === null && isStill();
    const { changed } = await definitions.pipelines.change(
      found.name,
      (current) => (fails(current) ? { ...current, failure: reason } : current),
      systemActor,
    );
    if (changed) logger.error({ pipeline: found.name, run, reason }, 'pipeline failed');
  }
}
