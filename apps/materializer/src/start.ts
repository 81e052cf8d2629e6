import {
  StalledConsumerDetector,
  createFlushTopic,
  Erasures,
  followFlushRequests,
  LagMonitor,
  trackBatches,
  type LagGauge,
} from '#engine';
import { farBounds } from '#dataflow';
import { TopicAndGroupNames } from '#event';
import { resourceKinds, openDefinitions } from '#registry';
import { startHttpApp, untilReachable, type ProcessContext } from '#http';
import { kafkaLogOptions } from '#api';
import { isRetriableLogError, openKafkaLog } from '#kafka';
import { clickHouseOptions, openClickHouse, isRetryableStoreError } from '#store';
import { metrics, activeWork } from '#telemetry';
import type { MaterializerConfig } from './config.js';
import { registerChecks } from './health.js';
import { removeOldVerdicts } from './store-garbage/old-verdicts.js';
import { StoreGarbageCollector } from './store-garbage/store-garbage-collector.js';
import { InsertErasureRepeater } from './insert-erasure-repeater.js';
import { Materializer, type MaterializerOptions } from './materializer.js';
import { MaterializerModule } from './materializer.module.js';
import type { MaterializedPartition } from './materialized-partition.js';
import { followStreams } from './stream-subscription.js';
import { StoreUsageMetrics } from './store-usage-metrics.js';
import { IdWindowMetrics } from './id-window-metrics.js';

const kafka = { name: 'Kafka', mayReturn: isRetriableLogError };
const clickHouse = { name: 'ClickHouse', mayReturn: isRetryableStoreError };

const lagIntervalMs = 5000;
const usageIntervalMs = 15_000;
const streamLag: LagGauge = {
  set: (stream, { events, seconds }) => {
    metrics.consumeLagRecords.set({ stream }, events);
    metrics.consumeLagSeconds.set({ stream }, seconds);
  },
  remove: (stream) => {
    metrics.consumeLagRecords.remove({ stream });
    metrics.consumeLagSeconds.remove({ stream });
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
 * Starts the materializer. The HTTP port opens first, so that probes see the process start. The start then creates the
 * tables, reads the definitions, and subscribes to the streams.
 */
export async function startMaterializer(context: ProcessContext<MaterializerConfig>): Promise<void> {
  const { config, logger, lifecycle } = context;
  const topics = new TopicAndGroupNames(config.KAFKA_TOPIC_PREFIX);
  const kafkaLog = openKafkaLog({
    ...kafkaLogOptions(config, 'materializer', config.MATERIALIZER_PORT),
    logger,
    bounds: { sessionTimeoutMs: config.KAFKA_SESSION_TIMEOUT_MS, ...fetchBounds },
  });
  const log = trackBatches(kafkaLog, activeWork);
  const store = openClickHouse(clickHouseOptions(config));
  const definitions = openDefinitions({
    log,
    names: topics,
    defaults: { partitions: config.STREAM_PARTITIONS },
    kinds: resourceKinds,
  });
  const erasures = new Erasures(definitions);
  const inserts = new InsertErasureRepeater({ definitions, logger, eraser: store.eraser });
  const progress = new StalledConsumerDetector();
  const materializer = new Materializer({
    ...settings(config),
    ...{ log, topics, logger, progress, erasures, inserts, writer: store.writer },
    tracing: context.tracing,
    onFailure: (error) => context.crash(error),
  });
  const lag = new LagMonitor<MaterializedPartition>({
    ...{ admin: log.admin, progress, intervalMs: lagIntervalMs, now: Date.now },
    ...{ nameOf: ({ name }) => name, gauge: streamLag },
    partitions: () => materializer.assignments,
  });
  const janitor = new StoreGarbageCollector({
    ...{ definitions, topics, logger, admin: log.admin, eraser: store.eraser, now: Date.now },
    holds: (stream) => materializer.holds(stream),
    removeOldVerdicts: () =>
      removeOldVerdicts({
        ...{ admin: log.admin, topics },
        ...{ verdicts: materializer.verdicts, publisher: materializer.publisher },
      }),
    intervalMs: config.JANITOR_MINUTES * 60_000,
  });
  const usage = new StoreUsageMetrics({ store, logger, intervalMs: usageIntervalMs });
  const windows = new IdWindowMetrics({
    partitions: () => materializer.assignments,
    ...{ now: Date.now, intervalMs: usageIntervalMs },
  });
  registerChecks(context.health, { log, store, definitions, lag, progress, materializer });
  lifecycle.onStop('materializer', () =>
    materializer.close(Math.max(1, config.SHUTDOWN_SECONDS - closeSeconds) * 1000),
  );
  lifecycle.onStop('janitor', () => janitor.stop());
  lifecycle.onStop('late inserts', async () => inserts.close());
  lifecycle.onStop('lag', async () => lag.stop());
  lifecycle.onStop('usage', async () => usage.stop());
  lifecycle.onStop('windows', async () => windows.stop());
  const flushes = followFlushRequests(log, topics, ({ group, topic }) => {
    if (group === topics.materializerGroup) materializer.flushSoon(topic);
  });
  lifecycle.onStop('flush requests', () => flushes.close());
  lifecycle.onStop('definitions', () => definitions.close());
  lifecycle.onStop('log', () => log.close());
  lifecycle.onStop('store', () => store.close());
  await startHttpApp({
    context,
    module: MaterializerModule,
    listen: { host: config.HOST, port: config.MATERIALIZER_PORT, variable: 'MATERIALIZER_PORT' },
  });
  lag.start();
  await untilReachable(context, clickHouse, () => store.migrate());
  await untilReachable(context, kafka, () => definitions.start());
  // A new Kafka cluster creates its topic of committed offsets at the first request for a group coordinator. The topic
  // is created here, so that the first event need not wait for its creation.
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
  janitor.start();
  usage.start();
  windows.start();
}

function settings(
  config: MaterializerConfig,
): Pick<
  MaterializerOptions,
  | 'window'
  | 'far'
  | 'farBytes'
  | 'cachedEntities'
  | 'insertRows'
  | 'insertBytes'
  | 'insertIntervalMs'
  | 'queueBytes'
> {
  return {
    window: {
      records: config.DEDUPE_WINDOW_RECORDS,
      milliseconds: config.DEDUPE_WINDOW_MINUTES * 60_000,
    },
    far: farBounds(config.DEDUPE_FAR_MINUTES, config.DEDUPE_WINDOW_MINUTES),
    farBytes: config.DEDUPE_FAR_BYTES,
    cachedEntities: config.CACHED_ENTITIES,
    insertRows: config.INSERT_ROWS,
    insertBytes: config.INSERT_BYTES,
    insertIntervalMs: config.INSERT_INTERVAL_MS,
    queueBytes: config.INSERT_QUEUE_BYTES,
  };
}
