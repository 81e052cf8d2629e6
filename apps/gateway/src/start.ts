import { setTimeout as sleep } from 'node:timers/promises';
import type { Type } from '@nestjs/common';
import { TopicAndGroupNames } from '#event';
import { resourceKinds, openDefinitions } from '#registry';
import {
  HttpAnswerMemoryBudget,
  startHttpApp,
  ShutdownWhileWaitingError,
  untilReachable,
  type ProcessContext,
} from '#http';
import { LateBoundProducer, MeteredProducer, traced } from '#writing';
import { kafkaLogOptions } from '#api';
import { isRetriableLogError, openKafkaLog } from '#kafka';
import {
  clickHouseOptions,
  openClickHouseFiles,
  openClickHouseSql,
  isRetryableStoreError,
  type AnalystSqlOptions,
  type Store,
} from '#store';
import { onScrape } from '#telemetry';
import { VerdictTable } from '#verdicts';
import { WebhookAddressPolicy } from '#webhooks';
import type { GatewayConfig } from './config.js';
import { KafkaFlushRequestSender } from './consistency/flush-request-sender.js';
import { failedJobs, HealthHistory, historyIntervalMs } from './health/health-history.js';
import { MaterializerLagReader } from './health/materializer-lag-reader.js';
import { ProcessorLagReader } from './health/processor-lag-reader.js';
import { registerChecks } from './health/register-checks.js';
import { publishDefinitionMetrics } from './health/definition-metrics.js';
import { LiveConnections } from './live/live-connections.js';
import { openStores } from './open-stores.js';
import { gatewayApp } from './ports.js';
import { Bulkhead } from './reads/bulkhead.js';
import { ViewPublisher } from './sql/view-publisher.js';

const kafka = { name: 'Kafka', mayReturn: isRetriableLogError };
const clickHouse = { name: 'ClickHouse', mayReturn: isRetryableStoreError };

/** Longest time that a query waits for a slot, in milliseconds. */
const turnMs = 10_000;

/** Milliseconds that startup waits for the ClickHouse tables before it continues without them. */
const tablesMs = 5_000;

/** Opens both ports at once, so that probes reach them. The ports serve API requests only after Kafka has answered. */
export async function startGateway(context: ProcessContext<GatewayConfig>): Promise<void> {
  const { config, lifecycle } = context;
  const topics = new TopicAndGroupNames(config.KAFKA_TOPIC_PREFIX);
  const log = openKafkaLog({ ...kafkaLogOptions(config, 'gateway'), logger: context.logger });
  const answers = new HttpAnswerMemoryBudget(config.GATEWAY_ANSWER_MIB * 1024 * 1024);
  const { requests: store, live } = openStores(clickHouseOptions(config), answers);
  const sql = openClickHouseSql(clickHouseOptions(config), sqlOptions(config));
  const files = openClickHouseFiles(clickHouseOptions(config), { seconds: config.EXPORT_SECONDS });
  const definitions = openDefinitions({
    log,
    names: topics,
    defaults: { partitions: config.STREAM_PARTITIONS },
    kinds: resourceKinds,
  });
  const verdicts = new VerdictTable({ log, names: topics });
  const producer = new LateBoundProducer();
  // Requests between processes: metrics and traces of writes leave them out.
  const internal = new LateBoundProducer();
  const bulkhead = new Bulkhead({
    concurrent: config.READS_CONCURRENT,
    queued: config.READS_QUEUED,
    waitMs: turnMs,
  });
  const { logger } = context;
  const webhooks = new WebhookAddressPolicy(config.WEBHOOK_ALLOWED_NETWORKS);
  const app = await startHttpApp(
    gatewayApp(context, {
      config,
      logger,
      log,
      store,
      live,
      sql,
      files,
      definitions,
      producer,
      flushes: new KafkaFlushRequestSender({ producer: internal, topics, logger }),
      topics,
      verdicts,
      bulkhead,
      answers,
      webhooks,
    }),
  );
  const service = <T>(type: Type<T>): T => app.nest.get(type, { strict: false });
  const connections = service(LiveConnections);
  lifecycle.stopping.addEventListener('abort', () => connections.close(), { once: true });
  const lag = service(MaterializerLagReader);
  const processor = service(ProcessorLagReader);
  const history = service(HealthHistory);
  registerChecks(context.health, { log, store: live, definitions, lag, processor, history });
  const stopFollowing = lag.follow(historyIntervalMs, (materializer) =>
    history.add({ materializer, failed_jobs: failedJobs(definitions) }),
  );
  lifecycle.onStop('lag', async () => stopFollowing());
  onScrape(() => publishDefinitionMetrics(definitions));
  lifecycle.onStop('producer', () => producer.close());
  lifecycle.onStop('verdicts', () => verdicts.close());
  lifecycle.onStop('definitions', () => definitions.close());
  lifecycle.onStop('log', () => log.close());
  lifecycle.onStop('files', () => files.close());
  lifecycle.onStop('sql', () => sql.close());
  const views = new ViewPublisher({ sql, definitions, logger: context.logger });
  lifecycle.onStop('views', async () => views.close());
  lifecycle.onStop('store', () => store.close());
  lifecycle.onStop('store of live streams', () => live.close());
  const tables = makeTables(context, store);
  await untilReachable(context, kafka, () => definitions.start());
  const connected = await untilReachable(context, kafka, () => log.producer());
  internal.use(connected);
  producer.use(traced(new MeteredProducer(connected), context.tracing));
  if (config.SQL_CLICKHOUSE_USER !== '') void tables.then(() => views.start());
  await Promise.race([tables, sleep(tablesMs, undefined, { ref: false })]);
}

function sqlOptions(config: GatewayConfig): AnalystSqlOptions {
  const { SQL_CLICKHOUSE_USER: name, SQL_CLICKHOUSE_PASSWORD: password } = config;
  return {
    user: { name, password },
    bounds: { seconds: config.SQL_SECONDS, memoryBytes: config.SQL_MEMORY_MIB * 1024 * 1024 },
  };
}

/** Creates the ClickHouse tables as soon as ClickHouse can be reached. Writing must not depend on ClickHouse. */
async function makeTables(context: ProcessContext<GatewayConfig>, store: Store): Promise<void> {
  try {
    await untilReachable(context, clickHouse, () => store.migrate());
  } catch (error) {
    if (!(error instanceof ShutdownWhileWaitingError)) context.crash(error as Error);
  }
}
