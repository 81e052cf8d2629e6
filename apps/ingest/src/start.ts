import { TopicAndGroupNames } from '#event';
import { resourceKinds, openDefinitions } from '#registry';
import { startHttpApp, untilReachable, type ProcessContext } from '#http';
import { kafkaLogOptions } from '#api';
import { isRetriableLogError, openKafkaLog } from '#kafka';
import type { IngestConfig } from './config.js';
import { LateBoundProducer } from '#writing';
import { MeteredProducer } from '#writing';
import { portKeys } from './port-keys.js';
import { readsElsewhere } from './reads-elsewhere.js';
import { traced } from '#writing';
import { WriteModule, writeSettings } from '#writing';
import { VerdictTable } from '#verdicts';

const kafka = { name: 'Kafka', mayReturn: isRetriableLogError };

/** Opens the write port immediately, so that probes can reach it. The port serves requests when Kafka has answered. */
export async function startIngest(context: ProcessContext<IngestConfig>): Promise<void> {
  const { config, health, lifecycle } = context;
  const topics = new TopicAndGroupNames(config.KAFKA_TOPIC_PREFIX);
  const log = openKafkaLog({ ...kafkaLogOptions(config, 'ingest'), logger: context.logger });
  const definitions = openDefinitions({
    log,
    names: topics,
    defaults: { partitions: config.STREAM_PARTITIONS },
    kinds: resourceKinds,
  });
  const verdicts = new VerdictTable({ log, names: topics });
  const producer = new LateBoundProducer();
  health.register('log', () => log.admin.ping());
  lifecycle.onStop('producer', () => producer.close());
  lifecycle.onStop('verdicts', () => verdicts.close());
  lifecycle.onStop('definitions', () => definitions.close());
  lifecycle.onStop('log', () => log.close());
  await startHttpApp({
    ...portKeys(config, definitions),
    context,
    elsewhere: readsElsewhere,
    module: WriteModule.with({
      producer,
      definitions,
      topics,
      verdicts,
      ...writeSettings(config),
    }),
    listen: { host: config.HOST, port: config.INGEST_PORT, variable: 'INGEST_PORT' },
    bodyBytes: config.INGEST_BODY_MIB * 1024 * 1024,
  });
  await untilReachable(context, kafka, () => definitions.start());
  const connected = await untilReachable(context, kafka, () => log.producer());
  producer.use(traced(new MeteredProducer(connected), context.tracing));
}
