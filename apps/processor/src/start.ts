import {
  Erasures,
  LagMonitor,
  StalledConsumerDetector,
  createFlushTopic,
  followFlushRequests,
  logTimeAt,
  trackBatches,
  type LagGauge,
  type OwnedPartition,
} from '#engine';
import { farBounds, farReach, SharedIdWindows } from '#dataflow';
import { TopicAndGroupNames } from '#event';
import { resourceKinds, openDefinitions } from '#registry';
import { startHttpApp, untilReachable, type ProcessContext } from '#http';
import { LateBoundProducer } from '#writing';
import { kafkaLogOptions } from '#api';
import { isRetriableLogError, openKafkaLog } from '#kafka';
import {
  clickHouseOptions,
  openClickHouse,
  isRetryableStoreError,
  type KeyedStateReader,
  type KeyedStateStore,
  type Store,
} from '#store';
import { metrics, activeWork } from '#telemetry';
import { leaveOutRefused, VerdictTable } from '#verdicts';
import { WebhookDeliverer, WebhookClient, WebhookSecrets, WebhookAddressPolicy } from '#webhooks';
import type { ProcessorConfig } from './config.js';
import { registerChecks } from './health.js';
import {
  ProjectionsProcessor,
  type ProjectionsProcessorOptions,
} from './projections/projections-processor.js';
import { ProcessorModule } from './processor.module.js';
import { pipelineLagPrefix } from './pipelines/jobs/running-job.js';
import { PipelinesProcessor, type PipelinesProcessorOptions } from './pipelines/pipelines-processor.js';
import { DeliveryOutages } from './pipelines/output/delivery-outages.js';
import { countAttempt } from './pipelines/output/webhook-stats.js';
import { EntitySnapshotter } from './snapshots/entity-snapshotter.js';

const kafka = { name: 'Kafka', mayReturn: isRetriableLogError };
const clickHouse = { name: 'ClickHouse', mayReturn: isRetryableStoreError };

const lagIntervalMs = 5000;
/**
 * Limits of the fetches of one consumer. Each generation of a projection and each job of a pipeline has a consumer of
 * its own.
 */
const fetchBounds = {
  fetchBytes: 4 * 1024 * 1024,
  // One fetch of a partition has about as many events as are folded in one batch.
  fetchPartitionBytes: 2 * 1024 * 1024,
  consumeBytes: 8 * 1024 * 1024,
  fetchWaitMs: 250,
  fetchCollectMs: 100,
};
/** Seconds of the shutdown time that are reserved for leaving the consumer groups and closing connections. */
const closeSeconds = 5;

/** Time limit in milliseconds for the answer of a webhook's receiver. */
const webhookTimeoutMs = 15_000;

const lagGauge: LagGauge = {
  set: (name, { events, seconds }) => {
    const pipeline = pipelineOf(name);
    if (pipeline === undefined) {
      metrics.projectionLagRecords.set({ projection: name }, events);
      metrics.projectionLagSeconds.set({ projection: name }, seconds);
    } else {
      metrics.pipelineLagRecords.set({ pipeline }, events);
      metrics.pipelineLagSeconds.set({ pipeline }, seconds);
    }
  },
  remove: (name) => {
    const pipeline = pipelineOf(name);
    if (pipeline === undefined) {
      metrics.projectionLagRecords.remove({ projection: name });
      metrics.projectionLagSeconds.remove({ projection: name });
    } else {
      metrics.pipelineLagRecords.remove({ pipeline });
      metrics.pipelineLagSeconds.remove({ pipeline });
    }
  },
};

const snapshotLag: LagGauge = {
  set: (_, { events, seconds }) => {
    metrics.snapshotLagRecords.set(events);
    metrics.snapshotLagSeconds.set(seconds);
  },
  remove: () => {
    metrics.snapshotLagRecords.set(0);
    metrics.snapshotLagSeconds.set(0);
  },
};

function pipelineOf(name: string): string | undefined {
  return name.startsWith(pipelineLagPrefix) ? name.slice(pipelineLagPrefix.length) : undefined;
}

/**
 * Starts the processor. The HTTP port opens first, so that probes see the process start. The start then creates the
 * tables, reads the definitions, and starts projections, pipelines and snapshots.
 */
export async function startProcessor(context: ProcessContext<ProcessorConfig>): Promise<void> {
  const { config, logger, lifecycle } = context;
  const topics = new TopicAndGroupNames(config.KAFKA_TOPIC_PREFIX);
  const kafkaLog = openKafkaLog({
    ...kafkaLogOptions(config, 'processor', config.PROCESSOR_PORT),
    logger,
    bounds: { sessionTimeoutMs: config.KAFKA_SESSION_TIMEOUT_MS, ...fetchBounds },
  });
  const progress = new StalledConsumerDetector();
  const verdicts = new VerdictTable({ log: kafkaLog, names: topics });
  const log = leaveOutRefused(trackBatches(kafkaLog, activeWork), {
    verdicts,
    committed: async ({ topic, partition }) =>
      (await kafkaLog.admin.committed(topics.materializerGroup, topic)).get(partition) ?? 0,
    waiting: () => progress.attempted(),
    isStream: (topic) => topics.streamOf(topic) !== undefined,
    busy: {
      records: config.DEDUPE_WINDOW_RECORDS,
      milliseconds: farReach(farBounds(config.DEDUPE_FAR_MINUTES, config.DEDUPE_WINDOW_MINUTES)),
    },
    logTimeAt,
  });
  const store = openClickHouse(clickHouseOptions(config));
  const definitions = openDefinitions({
    log,
    names: topics,
    defaults: { partitions: config.STREAM_PARTITIONS },
    kinds: resourceKinds,
  });
  const erasures = new Erasures(definitions);
  const idWindows = new SharedIdWindows({
    records: config.DEDUPE_WINDOW_RECORDS,
    milliseconds: config.DEDUPE_WINDOW_MINUTES * 60_000,
  });
  const processor = new ProjectionsProcessor({
    ...settings(config),
    ...{ log, topics, logger, progress, erasures, definitions, idWindows },
    ...{ reader: store.reader, writer: writerOf(store.projections, store) },
    tracing: context.tracing,
    onFailure: (error) => context.crash(error),
  });
  const snapshotter = new EntitySnapshotter({
    ...{ log, topics, logger, definitions, erasures },
    ...{ snapshots: store.snapshots, versions: store.writer },
    onFailure: (error) => context.crash(error),
  });
  const producer = new LateBoundProducer();
  const poster = new WebhookClient(
    new WebhookAddressPolicy(config.WEBHOOK_ALLOWED_NETWORKS),
    webhookTimeoutMs,
  );
  const outages = new DeliveryOutages({
    ...{ writer: store.pipelines, logger, now: Date.now },
    isCurrent: (job) => definitions.pipelines.all().some(({ run }) => run.id === job),
    onFailure: (error) => context.crash(error as Error),
  });
  const pipelines = new PipelinesProcessor({
    ...settings(config),
    ...{ log, topics, logger, progress, erasures, definitions, producer, idWindows },
    tracing: context.tracing,
    ...{ reader: store.reader, projections: store.projections, writer: writerOf(store.pipelines, store) },
    webhooks: new WebhookDeliverer({
      poster,
      secrets: new WebhookSecrets(config.WEBHOOK_SECRETS),
      // A pipeline that waits for a webhook receiver counts as making progress. If the liveness check failed, the
      // restarted process would begin the delivery attempts again, without end.
      attempted: (attempt) => {
        progress.attempted();
        countAttempt(attempt);
        outages.attempted(attempt);
      },
    }),
    onFailure: (error) => context.crash(error),
  });
  const lagOfSnapshots = new LagMonitor({
    // A missing snapshot only makes a later read slower, so the snapshotter does not affect the health checks.
    ...{
      admin: log.admin,
      progress: new StalledConsumerDetector(),
      intervalMs: lagIntervalMs,
      now: Date.now,
    },
    ...{ nameOf: () => 'snapshots', gauge: snapshotLag },
    partitions: () => snapshotter.partitions(),
  });
  // One lag monitor measures the lag of projections and pipelines. `lagGauge` exports the lag of projections and the
  // lag of pipelines as separate metrics.
  const lag = new LagMonitor<OwnedPartition>({
    ...{ admin: log.admin, progress, intervalMs: lagIntervalMs, now: Date.now },
    ...{ nameOf: ({ name }) => name, gauge: lagGauge },
    partitions: () => [...processor.partitions(), ...pipelines.partitions()],
  });
  const saving = {
    get complaint() {
      return processor.complaint ?? pipelines.complaint;
    },
  };
  registerChecks(context.health, { log, store, definitions, lag, progress, processor: saving });
  const flushMs = Math.max(1, config.SHUTDOWN_SECONDS - closeSeconds) * 1000;
  const flushes = followFlushRequests(log, topics, ({ group }) => processor.flushSoon(group));
  lifecycle.onStop('flush requests', () => flushes.close());
  lifecycle.onStop('processor', async () => {
    await Promise.all([processor.close(flushMs), pipelines.close(flushMs)]);
  });
  lifecycle.onStop('webhooks', async () => {
    poster.close();
    await outages.stop();
  });
  lifecycle.onStop('producer', () => producer.close());
  lifecycle.onStop('snapshots', () => snapshotter.close());
  lifecycle.onStop('lag', async () => {
    lag.stop();
    lagOfSnapshots.stop();
  });
  lifecycle.onStop('verdicts', () => verdicts.close());
  lifecycle.onStop('definitions', () => definitions.close());
  lifecycle.onStop('log', () => log.close());
  lifecycle.onStop('store', () => store.close());
  await startHttpApp({
    context,
    module: ProcessorModule,
    listen: { host: config.HOST, port: config.PROCESSOR_PORT, variable: 'PROCESSOR_PORT' },
  });
  lag.start();
  lagOfSnapshots.start();
  await untilReachable(context, clickHouse, () => store.migrate());
  await untilReachable(context, kafka, () => definitions.start());
  producer.use(await log.producer());
  processor.start();
  pipelines.start();
  snapshotter.start();
  await untilReachable(context, kafka, () => createFlushTopic(log.admin, topics));
  // The reader of flush requests starts in the background: without flush requests, states are saved at the usual
  // interval.
  flushes.start().catch((error: unknown) => logger.warn({ err: error }, 'flush requests are not read'));
}

function writerOf(
  states: KeyedStateStore & KeyedStateReader,
  { writer }: Store,
): ProjectionsProcessorOptions['writer'] & PipelinesProcessorOptions['writer'] {
  return {
    save: (rows, progress) => states.save(rows, progress),
    load: (place, keys) => states.load(place, keys),
    due: (place, query) => states.due(place, query),
    progressOf: (place) => states.progressOf(place),
    progress: (owners) => states.progress(owners),
    removeClosed: (owner, closed) => states.removeClosed(owner, closed),
    removeStages: (owner, stages) => states.removeStages(owner, stages),
    remove: (owner) => states.remove(owner),
    owners: () => states.owners(),
    appendDeadLetters: (letters) => writer.appendDeadLetters(letters),
  };
}

function settings(
  config: ProcessorConfig,
): Pick<ProjectionsProcessorOptions, 'cache' | 'unsaved' | 'saveIntervalMs'> {
  return {
    cache: { keys: config.STATE_CACHED_KEYS, weight: config.STATE_CACHED_BYTES },
    unsaved: { keys: config.STATE_SAVE_KEYS, weight: config.STATE_SAVE_BYTES },
    saveIntervalMs: config.STATE_SAVE_INTERVAL_MS,
  };
}
