import type { FastifyInstance, RouteOptions } from 'fastify';
import { parseTime } from '#json';
import { TopicAndGroupNames, type StoredEvent } from '#event';
import { type ExpressionTree, compileCondition } from '#cel';
import { resourceKinds, openDefinitions, type Definitions } from '#registry';
import {
  HttpAnswerMemoryBudget,
  createContext,
  createHttpApp,
  generateKey,
  scopes,
  type KeyScope,
  type ProcessContext,
  type HttpApp,
  type HttpPort,
  type HttpPortOptions,
  type PortServices,
} from '#http';
import { MemoryLog } from '#kafka/memory';
import type { EventReader, EventRow } from '#store';
import { AnalystSqlRunner } from '#features/sql';
import { MemoryStore } from '#store/memory';
import { composeSettings } from '#api';
import { DEFINITIONS, LOG, PRODUCER, kindsOf, settingsOf, type Feature } from '#app';
import { eventValue, storedEventVariable } from '#dataflow';
import { createNestWith } from '../../../libs/core/app/create-nest-with.fixture.js';
import { rowBatchesOf } from '../../../libs/core/store/row-batch/row-batches-of.fixture.js';
import { gatewaySettings, type GatewayConfig } from './gateway-config.js';
import { features } from './features.js';
import { gatewayApp } from './ports.js';
import { Bulkhead, CONSISTENCY_BOUNDS, FLUSHES, CLICKHOUSE_CLIENTS, StoreTables } from '#gateway-kit';
import { ENTITY_SNAPSHOTS, entitySnapshotsByStreamName } from '#features/entities';
import { EventFileExporter } from '#features/exports';
import { MemoryStoreWithSnapshots } from '../../../libs/features/entities/snapshots/memory-entity-snapshots.fixture.js';
import { FakeEventFileExporter } from '../../../libs/features/exports/fake-files.fixture.js';
import { FakeAnalystSqlRunner } from '../../../libs/features/sql/fake-sql.fixture.js';

/** Both HTTP ports of a gateway for specs, over an in-memory log and an in-memory store. */
export interface GivenGateway {
  core: HttpPort;
  query: HttpPort;
  nest: HttpApp['nest'];
  /** All routes of each port, in the order of their registration. */
  routes: Record<'core' | 'query', RouteOptions[]>;
  context: ProcessContext<GatewayConfig>;
  /** For each scope, the header `Bearer …` with a key that has only that scope. */
  bearer: Record<KeyScope, string>;
  log: MemoryLog;
  store: MemoryStoreWithSnapshots;
  definitions: Definitions;
  topics: TopicAndGroupNames;
  /** Returns the topic of the stream that currently has this name. */
  topicOf: (stream: string) => string;
  close(): Promise<void>;
}

/** Parts and settings of the gateway that a spec replaces. */
export interface GivenGatewayOptions {
  reader?: (reader: EventReader) => EventReader;
  apiKeys?: 'none';
  bulkhead?: Bulkhead;
  answers?: HttpAnswerMemoryBudget;
  /** Lets the store evaluate a `where`. Without it, the store refuses every `where`. */
  where?: boolean;
  /** Limit of open live streams; default 500. */
  liveStreams?: number;
  sql?: FakeAnalystSqlRunner;
  /** Features; default: those of the gateway. */
  features?: readonly Feature[];
  files?: Pick<EventFileExporter, 'open' | 'close'>;
  /** Limit of open live streams of one key; default 100. */
  liveStreamsPerKey?: number;
  /** The ClickHouse user for analysts; default `sql`. Empty: SQL is off. */
  sqlUser?: string;
  /** Time limit of an export in seconds; default 600. */
  exportSeconds?: number;
}

export async function givenGateway(options: GivenGatewayOptions = {}): Promise<GivenGateway> {
  const listed = options.features ?? features;
  const store = new MemoryStoreWithSnapshots(options.where ? { evaluate } : {});
  const log = new MemoryLog();
  const topics = new TopicAndGroupNames('spec.');
  const definitions = openDefinitions({
    log,
    names: topics,
    defaults: { partitions: 2 },
    kinds: [...resourceKinds, ...kindsOf(listed)],
  });
  await definitions.start();
  storeByName(store, definitions);
  const keys = scopes.map((scope) => ({ scope, ...generateKey() }));
  const Config = composeSettings(...gatewaySettings, ...settingsOf(listed));
  const config = Object.assign(new Config(), {
    LOG_LEVEL: 'silent',
    KAFKA_TOPIC_PREFIX: 'spec.',
    LIVE_STREAMS: options.liveStreams ?? 500,
    LIVE_STREAMS_PER_KEY: options.liveStreamsPerKey ?? 100,
    EXPORT_SENDING_SECONDS: options.exportSeconds ?? 600,
    SQL_CLICKHOUSE_USER: options.sqlUser ?? 'sql',
    API_KEYS: options.apiKeys === 'none' ? [] : keys.map((key) => `${key.keyId}:${key.sha256}:${key.scope}`),
  });
  const context = createContext({ name: 'gateway', config, version: '0.0.0-spec' });
  context.lifecycle.running = true;
  const reader = options.reader?.(store.reader) ?? store.reader;
  const { writer, eraser, scrubPasses, projections, projectionResults, pipelines } = store;
  const requests = { reader, writer, eraser, scrubPasses, projections, projectionResults, pipelines };
  const answers = options.answers ?? new HttpAnswerMemoryBudget(64 * 1024 * 1024);
  const create = createNestWith([
    [LOG, log],
    [PRODUCER, await log.producer()],
    [DEFINITIONS, definitions],
    [CLICKHOUSE_CLIENTS, { requests, live: { ...requests, ping: async () => undefined } }],
    [StoreTables, new StoreTables(Promise.resolve())],
    [ENTITY_SNAPSHOTS, entitySnapshotsByStreamName(store.snapshots, definitions)],
    [AnalystSqlRunner, options.sql ?? new FakeAnalystSqlRunner()],
    [EventFileExporter, options.files ?? new FakeEventFileExporter()],
    [FLUSHES, { ask: () => undefined }],
    [Bulkhead, options.bulkhead ?? new Bulkhead({ concurrent: 4, queued: 100, waitMs: 10_000 })],
    [CONSISTENCY_BOUNDS, { timeoutMs: 50, unknownStreamMs: 20 }],
  ]);
  const appOptions = gatewayApp(context, { answers, features: listed });
  const routes = { core: [], query: [] };
  const [corePort] = appOptions.otherPorts ?? [];
  const app = await createHttpApp({
    ...recording(appOptions, routes.query),
    create,
    otherPorts: [recording(corePort as HttpPortOptions, routes.core)],
  });
  const { nest } = app;
  return {
    core: app.otherPorts[0] as HttpPort,
    query: app,
    nest,
    routes,
    context,
    bearer: Object.fromEntries(keys.map(({ scope, key }) => [scope, `Bearer ${key}`])) as Record<
      KeyScope,
      string
    >,
    log,
    store,
    definitions,
    topics,
    topicOf: (stream) => topics.ofStream(definitions.stream(stream)?.id ?? `${stream}#0`),
    close: async () => {
      await context.lifecycle.stop();
      await nest.close();
      await definitions.close();
      await log.close();
    },
  };
}

/** Returns the options of a port that also adds each of its routes to `routes`. */
function recording<Options extends HttpPortOptions>(options: Options, routes: RouteOptions[]): Options {
  const configure = (instance: FastifyInstance, services: PortServices) => {
    instance.addHook('onRoute', (route) => void routes.push(route));
    options.configure?.(instance, services);
  };
  return { ...options, configure };
}

function evaluate(where: ExpressionTree, event: StoredEvent): boolean {
  return compileCondition(where, storedEventVariable)(eventValue(event));
}

/** Returns an event row at this offset; omitted members get default values. */
export function eventRow(row: Partial<EventRow> & { offset: number }): EventRow {
  const seconds = String(row.offset % 60).padStart(2, '0');
  const minutes = String(Math.floor(row.offset / 60) % 60).padStart(2, '0');
  const timestamp = parseTime(`2026-11-21T04:${minutes}:${seconds}.000123Z`) ?? NaN;
  return {
    stream: 'orders',
    partition: 0,
    event_id: `019aa4e2-7d53-7c1e-9a3e-${String(row.offset).padStart(12, '0')}`,
    event_type: 'order.placed',
    entity_id: `order-${row.offset % 3}`,
    version: Math.floor(row.offset / 3) + 1,
    timestamp,
    ingested_at: timestamp,
    schema_version: null,
    metadata: '{}',
    data: `{"n":${row.offset},"big":9007199254740993,"price":0.10}`,
    ...row,
  };
}

/** Makes the writer accept stream names: it stores each row under the id of the stream that currently has the name. */
function storeByName({ writer }: MemoryStore, definitions: Pick<Definitions, 'stream'>): void {
  const withId = <T extends { stream: string }>(one: T): T => ({
    ...one,
    stream: definitions.stream(one.stream)?.id ?? one.stream,
  });
  const appendBlocks = writer.appendRowBatches.bind(writer);
  const appendDeadLetters = writer.appendDeadLetters.bind(writer);
  writer.appendRowBatches = (blocks, token) =>
    appendBlocks(rowBatchesOf(blocks.flatMap((block) => block.rows()).map(withId)), token);
  writer.appendDeadLetters = (letters) => appendDeadLetters(letters.map(withId));
}

/** Commits the materializer's offset: it has stored everything in the partition below `next.offset`. */
export function commitMaterialized(
  { log, topics, topicOf }: GivenGateway,
  stream: string,
  next: { partition: number; offset: number },
): void {
  const place = { topic: topicOf(stream), partition: next.partition };
  log.broker.group(topics.materializerGroup).commit(place, next.offset);
}
