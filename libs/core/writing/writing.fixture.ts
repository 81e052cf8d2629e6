import { pipelineKind } from '#features/pipelines/definition';
import { projectionKind } from '#features/projections/definition';
import { subscriptionKind } from '#features/subscriptions/definition';
import type { FastifyInstance } from 'fastify';
import { DEFINITIONS, LOG, PRODUCER } from '#app';
import { decodeRecord, TopicAndGroupNames, type EventRecord } from '#event';
import { openDefinitions, resourceKinds, type Definitions } from '#registry';
import {
  createContext,
  createHttpApp,
  requireApiKeys,
  startHttpApp,
  type ProcessContext,
  type HttpApp,
  type KeyRing,
} from '#http';
import type { ConsumerRecord } from '#kafka';
import { MemoryLog } from '#kafka/memory';
import type { Tracing } from '#telemetry';
import type { CloudEventsSettings } from '#features/cloudevents';
import { IngestConfig } from '../../../apps/ingest/src/ingest-config.js';
import { ingestApp } from '../../../apps/ingest/src/start.js';
import { createNestWith } from '../app/create-nest-with.fixture.js';

/** An HTTP port with the write routes on an in-memory log, for specs. */
export interface TestIngest {
  app: HttpApp;
  context: ProcessContext;
  log: MemoryLog;
  definitions: Definitions;
  topics: TopicAndGroupNames;
  /** `http://host:port`, if the app listens. */
  url: string;
  /** Returns all records of a stream, over its partitions. */
  records(stream: string): ConsumerRecord[];
  /** Returns the events that were written to a stream; default: `orders`. */
  written(stream?: string): EventRecord[];
  post(url: string, body: string | Buffer | object, headers?: Record<string, string>): Promise<Answer>;
  single(body: string | object, headers?: Record<string, string>): Promise<Answer>;
  batch(body: string | Buffer | object, headers?: Record<string, string>): Promise<Answer>;
  close(): Promise<void>;
}

type Answer = Awaited<ReturnType<HttpApp['instance']['inject']>>;

/** Returns a valid event, with the given fields added or replaced. */
export const event = (more: object = {}) => ({
  stream: 'orders',
  event_type: 'order.placed',
  data: {},
  ...more,
});

/** Settings and limits of `startTestIngest`. */
interface TestIngestOptions {
  config?: Partial<IngestConfig & CloudEventsSettings>;
  bytesInFlight?: number;
  bodyBytes?: number;
  /** Keys that the port accepts, in addition to configured ones. */
  keyRing?: KeyRing;
  tracing?: Tracing;
  /** Whether to serve the OpenAPI document, too. */
  openapi?: boolean;
  /** Listens on a real socket, with these time-outs in milliseconds. */
  listen?: { headers?: number; request?: number };
}

export async function startTestIngest(options: TestIngestOptions = {}): Promise<TestIngest> {
  const config = Object.assign(new IngestConfig(), {
    LOG_LEVEL: 'silent',
    KAFKA_TOPIC_PREFIX: 'spec.',
    ...options.config,
  });
  const { keyRing, tracing } = options;
  const context = createContext<IngestConfig>({ name: 'ingest', config, ...(tracing && { tracing }) });
  context.lifecycle.running = true;
  const log = new MemoryLog({ ...(options.bytesInFlight && { bytesInFlight: options.bytesInFlight }) });
  const topics = new TopicAndGroupNames('spec.');
  const definitions = openDefinitions({
    log,
    names: topics,
    defaults: { partitions: 4 },
    kinds: [...resourceKinds, projectionKind, pipelineKind, subscriptionKind],
  });
  await definitions.start();
  const parts = {
    ...ingestApp(context),
    ...(keyRing && { configure: (instance: FastifyInstance) => requireApiKeys(instance, { keyRing }) }),
    create: createNestWith([
      [LOG, log],
      [PRODUCER, await log.producer()],
      [DEFINITIONS, definitions],
    ]),
    listen: undefined,
    ...(options.bodyBytes && { bodyBytes: options.bodyBytes }),
    ...(options.openapi && { openapi: { title: 'spec', description: '', version: '1' } }),
    graceMs: 50,
  };
  const listen = { host: '127.0.0.1', port: 0, variable: 'INGEST_PORT' };
  const app = options.listen
    ? await startHttpApp({ ...parts, timeouts: options.listen, listen })
    : await createHttpApp(parts);
  const records = (stream: string): ConsumerRecord[] =>
    (
      log.topics.get(topics.ofStream(definitions.stream(stream)?.id ?? `${stream}#0`))?.partitions ?? []
    ).flatMap((partition) => partition.records);
  const url = 'url' in app ? (app as { url: string }).url : '';
  const close = options.listen ? () => context.lifecycle.stop() : () => app.nest.close();
  const written = (stream = 'orders') => records(stream).map((record) => decodeRecord(String(record.value)));
  const post: TestIngest['post'] = (path, body, headers) => {
    const payload = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    const all = { 'content-type': 'application/json', ...headers };
    return app.instance.inject({ method: 'POST', url: path, payload, headers: all });
  };
  const single: TestIngest['single'] = (body, headers) => post('/api/v1/events', body, headers);
  const batch: TestIngest['batch'] = (body, headers) => post('/api/v1/events/batch', body, headers);
  return { app, context, log, definitions, topics, url, records, written, post, single, batch, close };
}
