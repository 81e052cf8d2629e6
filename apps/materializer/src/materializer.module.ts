import { pipelineDefinitions } from '#features/pipelines/definition';
import { projectionDefinitions } from '#features/projections/definition';
import { subscriptionDefinitions } from '#features/subscriptions/definition';
import { Inject, Module, type DynamicModule, type OnModuleInit } from '@nestjs/common';
import {
  DEFINITIONS,
  DefinitionsModule,
  kafka,
  LOG,
  LogModule,
  PROCESS,
  ProcessModule,
  STORE,
  StoreModule,
} from '#app';
import { farBounds, idWindowBounds } from '#dataflow';
import {
  blockedWriteHealth,
  consumerHealth,
  createFlushTopic,
  Erasures,
  followFlushRequests,
  LagMonitor,
  StalledConsumerDetector,
  trackBatches,
  type LagGauge,
} from '#engine';
import { TopicAndGroupNames } from '#event';
import { untilReachable, type ProcessContext } from '#http';
import type { Log } from '#kafka';
import { definitionsHealth, type Definitions } from '#registry';
import type { Store } from '#store';
import { activeWork } from '#telemetry';
import type { MaterializerConfig } from './materializer-config.js';
import { exportIdWindows } from './metrics/id-window-metrics.js';
import { InsertErasureRepeater } from './store-garbage/insert-erasure-repeater.js';
import { consumeLagRecords, consumeLagSeconds } from './metrics/materializer-metrics.js';
import { Materializer } from './materializer.js';
import { Scrub } from './scrub/scrub.js';
import { removeOldVerdicts } from './store-garbage/old-verdicts.js';
import { StoreGarbageCollector } from './store-garbage/store-garbage-collector.js';
import { StoreUsageMetrics } from './metrics/store-usage-metrics.js';
import { followStreams } from './fetch/stream-subscription.js';

const lagIntervalMs = 5000;
const usageIntervalMs = 15_000;
const streamLag: LagGauge = {
  set: (stream, { events, seconds }) => {
    consumeLagRecords.set({ stream }, events);
    consumeLagSeconds.set({ stream }, seconds);
  },
  remove: (stream) => {
    consumeLagRecords.remove({ stream });
    consumeLagSeconds.remove({ stream });
  },
};
/**
 * Limits of the materializer's fetches from Kafka. Two fetches of each partition are in memory, and a hundred
 * partitions can have a backlog at the same time.
 */
const fetchBounds = {
  fetchBytes: 8 * 1024 * 1024,
  fetchPartitionBytes: 512 * 1024,
  consumeBytes: 32 * 1024 * 1024,
  // A partition that is added to an idle consumer waits at most this long (milliseconds).
  fetchWaitMs: 250,
  // Milliseconds for which a fetch collects records: less than the usual time between two inserts under little load.
  fetchCollectMs: 250,
};
/** Seconds of the shutdown time that are reserved for leaving the consumer group and closing connections. */
const closeSeconds = 5;

/**
 * Root module of the materializer: writes the events of all streams to ClickHouse. Its port serves only health checks
 * and metrics, which every app has.
 */
@Module({})
export class MaterializerModule implements OnModuleInit {
  static with(context: ProcessContext<MaterializerConfig>): DynamicModule {
    const { MATERIALIZER_PORT: port, KAFKA_SESSION_TIMEOUT_MS: sessionTimeoutMs } = context.config;
    return {
      module: MaterializerModule,
      imports: [
        ProcessModule.with(context),
        StoreModule,
        LogModule.forRoot({ port, bounds: { sessionTimeoutMs, ...fetchBounds } }),
        DefinitionsModule.forRoot([projectionDefinitions, pipelineDefinitions, subscriptionDefinitions]),
      ],
    };
  }

  constructor(
    @Inject(PROCESS) private readonly context: ProcessContext<MaterializerConfig>,
    @Inject(LOG) private readonly log: Log,
    @Inject(STORE) private readonly store: Store,
    @Inject(DEFINITIONS) private readonly definitions: Definitions,
    private readonly topics: TopicAndGroupNames,
  ) {}

  onModuleInit(): void {
    const { context, store, definitions, topics } = this;
    const { config, logger, lifecycle, health } = context;
    const log = trackBatches(this.log, activeWork);
    const inserts = new InsertErasureRepeater({ definitions, logger, eraser: store.eraser });
    const progress = new StalledConsumerDetector();
    const materializer = new Materializer({
      window: idWindowBounds(config),
      far: farBounds(config),
      farBytes: config.DEDUPE_FAR_BYTES,
      cachedEntities: config.CACHED_ENTITIES,
      limits: {
        insertRows: config.INSERT_ROWS,
        insertBytes: config.INSERT_BYTES,
        intervalMs: config.INSERT_INTERVAL_MS,
        queueBytes: config.INSERT_QUEUE_BYTES,
      },
      log,
      topics,
      logger,
      progress,
      inserts,
      writer: store.writer,
      eraser: store.eraser,
      writeBackEvents: config.WRITE_BACK_EVENTS,
      tracing: context.tracing,
      erasures: new Erasures(definitions),
      onFailure: (error) => context.crash(error),
    });
    const repairs = new InsertErasureRepeater({ definitions, logger, eraser: store.eraser });
    const scrub = config.SCRUB_EVENTS_PER_SECOND > 0 && this.scrub(materializer, repairs);
    const lag = new LagMonitor({
      admin: log.admin,
      progress,
      partitions: () => materializer.assignments,
      nameOf: ({ name }) => name,
      gauge: streamLag,
      intervalMs: lagIntervalMs,
      now: Date.now,
    });
    const garbage = new StoreGarbageCollector({
      definitions,
      topics,
      logger,
      admin: log.admin,
      eraser: store.eraser,
      now: Date.now,
      holds: (stream) => materializer.holds(stream),
      removeOldVerdicts: () => removeOldVerdicts({ ...materializer.dependencies, admin: log.admin }),
      intervalMs: config.JANITOR_MINUTES * 60_000,
    });
    const usage = new StoreUsageMetrics(store, logger);
    const windows = setInterval(
      () => exportIdWindows(materializer.assignments, Date.now()),
      usageIntervalMs,
    ).unref();
    const flushes = followFlushRequests(log, topics, ({ group, topic, request }) => {
      if (group === topics.materializerGroup) materializer.flushSoon(topic);
      if (scrub && group === topics.scrubGroup && request) scrub.begin(topic, request);
    });
    health.register('log', () => log.admin.ping());
    health.register('store', () => store.ping());
    health.register('definitions', async () => definitionsHealth(definitions));
    health.register('storing', () => blockedWriteHealth(materializer));
    health.register(
      'materializer',
      async () => ({ joined: materializer.joined, ...consumerHealth(lag, progress) }),
      { liveness: true },
    );
    lag.start();
    lifecycle.onStart(async () => {
      // A new Kafka cluster creates its topic of committed offsets at the first request for a group coordinator. The
      // topic is created here, so that the first event need not wait for its creation.
      await untilReachable(context, kafka, () =>
        log.admin.committed(topics.materializerGroup, topics.definitions),
      );
      await untilReachable(context, kafka, () => createFlushTopic(log.admin, topics));
      // The reader of flush requests starts in the background: without flush requests, events are stored at the usual
      // interval.
      flushes.start().catch((error: unknown) => logger.warn({ err: error }, 'flush requests are not read'));
      followStreams(definitions, {
        subscribe: (ids) => materializer.subscribe(ids),
        failed: (error) => context.crash(error as Error),
      });
      if (scrub)
        followStreams(definitions, { subscribe: (ids) => scrub.subscribe(ids), failed: () => undefined });
      garbage.start();
      usage.start(usageIntervalMs);
    });
    const closeMs = Math.max(1, config.SHUTDOWN_SECONDS - closeSeconds) * 1000;
    lifecycle.onStop('flush requests', () => flushes.close());
    lifecycle.onStop('metrics', async () => {
      lag.stop();
      usage.stop();
      clearInterval(windows);
    });
    lifecycle.onStop('late inserts', async () => inserts.close());
    lifecycle.onStop('scrub', async () => {
      if (scrub) await scrub.close();
      repairs.close();
    });
    lifecycle.onStop('garbage collection', () => garbage.stop());
    lifecycle.onStop('materializer', () => materializer.close(closeMs));
  }

  private scrub({ dependencies }: Materializer, inserts: InsertErasureRepeater): Scrub {
    const { store, log, topics } = this;
    const { config, logger } = this.context;
    const { erasures, window, verdicts } = dependencies;
    return new Scrub({
      ...{ log, topics, logger, inserts, erasures, window, verdicts },
      writer: store.writer,
      reader: store.scrub,
      progress: store.scrubPasses,
      eventsPerSecond: config.SCRUB_EVENTS_PER_SECOND,
      intervalMs: config.SCRUB_HOURS * 3_600_000,
    });
  }
}
