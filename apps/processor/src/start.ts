import { Erasures, LagMonitor, Progress, type LagGauge } from '#consuming';
import { TopicNames } from '#contracts';
import { openDefinitions } from '#definitions';
import { startHttpApp, untilReachable, type AppContext } from '#http';
import { kafkaLogOptions, logMayReturn, openKafkaLog } from '#log';
import { clickHouseOptions, openClickHouse, storeMayReturn, type Store } from '#store';
import { metrics } from '#telemetry';
import type { ProcessorConfig } from './config.js';
import { registerChecks } from './health.js';
import { Processor, type ProcessorOptions } from './processor.js';
import { ProcessorModule } from './processor.module.js';
import type { PartitionProjector } from './projections/partition-projector.js';
import { Snapshotter } from './snapshots/snapshotter.js';

const kafka = { name: 'Kafka', mayReturn: logMayReturn };
const clickHouse = { name: 'ClickHouse', mayReturn: storeMayReturn };

const lagIntervalMs = 5000;
/** Of one build; there are as many consumers as builds. */
const fetchBounds = {
  fetchBytes: 4 * 1024 * 1024,
  // As many events as are folded at a time.
  fetchPartitionBytes: 2 * 1024 * 1024,
  consumeBytes: 8 * 1024 * 1024,
  fetchWaitMs: 250,
};
/** Seconds of the time to stop that are kept for leaving the groups and closing connections. */
const closeSeconds = 5;

const projectionLag: LagGauge = {
  set: (projection, { events, seconds }) => {
    metrics.projectionLagRecords.set({ projection }, events);
    metrics.projectionLagSeconds.set({ projection }, seconds);
  },
  remove: (projection) => {
    metrics.projectionLagRecords.remove({ projection });
    metrics.projectionLagSeconds.remove({ projection });
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

/** Health and metrics first, so that probes see it starting; then the tables, the definitions, and the projections. */
export async function startProcessor(context: AppContext<ProcessorConfig>): Promise<void> {
  const { config, logger, lifecycle } = context;
  const topics = new TopicNames(config.KAFKA_TOPIC_PREFIX);
  const log = openKafkaLog({
    ...kafkaLogOptions(config, 'processor'),
    logger,
    bounds: { sessionTimeoutMs: config.KAFKA_SESSION_TIMEOUT_MS, ...fetchBounds },
  });
  const store = openClickHouse(clickHouseOptions(config));
  const definitions = openDefinitions({
    log,
    names: topics,
    defaults: { partitions: config.STREAM_PARTITIONS },
  });
  const erasures = new Erasures(definitions);
  const progress = new Progress();
  const processor = new Processor({
    ...settings(config),
    ...{ log, topics, logger, progress, erasures, definitions },
    ...{ reader: store.reader, writer: writerOf(store) },
    tracing: context.tracing,
    onFailure: (error) => context.crash(error),
  });
  const snapshotter = new Snapshotter({
    ...{ log, topics, logger, definitions, snapshots: store.snapshots, versions: store.writer },
    onFailure: (error) => context.crash(error),
  });
  const lag = new LagMonitor<PartitionProjector>({
    ...{ admin: log.admin, progress, intervalMs: lagIntervalMs, now: Date.now },
    ...{ nameOf: ({ name }) => name, gauge: projectionLag },
    partitions: () => processor.partitions(),
  });
  const lagOfSnapshots = new LagMonitor({
    // Whether it moves is nobody's health: what it misses costs a later read some events more.
    ...{ admin: log.admin, progress: new Progress(), intervalMs: lagIntervalMs, now: Date.now },
    ...{ nameOf: () => 'snapshots', gauge: snapshotLag },
    partitions: () => snapshotter.partitions(),
  });
  registerChecks(context.health, { log, store, definitions, lag, progress, processor });
  lifecycle.onStop('processor', () =>
    processor.close(Math.max(1, config.SHUTDOWN_SECONDS - closeSeconds) * 1000),
  );
  lifecycle.onStop('snapshots', () => snapshotter.close());
  lifecycle.onStop('lag', async () => {
    lag.stop();
    lagOfSnapshots.stop();
  });
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
  processor.start();
  snapshotter.start();
}

function writerOf({ projections, writer }: Store): ProcessorOptions['writer'] {
  return {
    save: (rows, progress) => projections.save(rows, progress),
    load: (place, keys) => projections.load(place, keys),
    progressOf: (place) => projections.progressOf(place),
    removeBuild: (build) => projections.removeBuild(build),
    builds: () => projections.builds(),
    appendDeadLetters: (letters) => writer.appendDeadLetters(letters),
  };
}

function settings(
  config: ProcessorConfig,
): Pick<ProcessorOptions, 'window' | 'cache' | 'unsaved' | 'saveIntervalMs'> {
  return {
    window: {
      records: config.DEDUPE_WINDOW_RECORDS,
      milliseconds: config.DEDUPE_WINDOW_MINUTES * 60_000,
    },
    cache: { keys: config.PROJECTION_CACHED_KEYS, weight: config.PROJECTION_CACHED_BYTES },
    unsaved: { keys: config.PROJECTION_SAVE_KEYS, weight: config.PROJECTION_SAVE_BYTES },
    saveIntervalMs: config.PROJECTION_SAVE_INTERVAL_MS,
  };
}
