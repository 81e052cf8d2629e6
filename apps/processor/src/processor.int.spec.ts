import { pipelineKind } from '#features/pipelines/definition';
import { subscriptionKind } from '#features/subscriptions/definition';
import { projectionKind, type ProjectionGeneration } from '#features/projections/definition';
import { TopicAndGroupNames } from '#event';
import { StalledConsumerDetector } from '#engine';
import { noErasures } from '#engine/memory';
import { resourceKinds, openDefinitions, systemActor, type Definitions } from '#registry';
import { openKafkaLog, type Log } from '#kafka';
import { openClickHouse, type Store } from '#store';
import { compileFold, SharedIdWindows, type FoldState } from '#dataflow';
import { createLogger } from '#telemetry';
import { askClickHouse, testClickHouse, testEngines } from '#testkit';
import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { ProjectionsProcessor } from '#features/projections/processor';
import { uuid, valueOf } from './processor.fixture.js';

const suffix = randomBytes(4).toString('hex');
const topics = new TopicAndGroupNames(`test-${suffix}.`);
const database = `test_${suffix}`;
const partitions = 4;
const stream = 'orders';
const logger = createLogger({ name: 'test', level: 'silent' });
let log: Log;
let store: Store;
let definitions: Definitions;
const running = new Set<ProjectionsProcessor>();
const failures: Error[] = [];

beforeAll(async () => {
  const { kafkaBrokers } = testEngines();
  log = openKafkaLog({
    ...{ brokers: kafkaBrokers.split(','), clientId: 'test', replicationFactor: -1 },
    // The session timeout is short, so that Kafka soon reassigns the partitions of a killed member.
    bounds: { sessionTimeoutMs: 6000, subscribeDebounceMs: 50 },
  });
  store = openClickHouse(testClickHouse(database));
  await store.migrate();
  definitions = openDefinitions({
    log,
    names: topics,
    defaults: { partitions },
    kinds: [...resourceKinds, projectionKind, pipelineKind, subscriptionKind],
  });
  await definitions.start();
  await definitions.createStream({ stream }, systemActor);
});

afterEach(async () => {
  await Promise.all([...running].map((processor) => stop(processor)));
  expect(failures).toEqual([]);
});

afterAll(async () => {
  await definitions.close();
  for (const topic of await log.admin.list(topics.prefix)) await log.admin.remove(topic);
  await log.close();
  await sql(`DROP DATABASE ${database}`);
  await store.close();
});

async function sql(statement: string): Promise<string> {
  const answer = await askClickHouse(testEngines(), statement);
  const text = await answer.text();
  expect(answer.status, text).toBe(200);
  return text;
}

function start(): ProjectionsProcessor {
  const processor = new ProjectionsProcessor({
    ...{ log, topics, definitions, logger, erasures: noErasures, progress: new StalledConsumerDetector() },
    reader: store.reader,
    writer: {
      save: (rows, progress) => store.projections.save(rows, progress),
      load: (place, keys) => store.projections.load(place, keys),
      progressOf: (place) => store.projections.progressOf(place),
      remove: (build) => store.projections.remove(build),
      owners: () => store.projections.owners(),
      appendDeadLetters: (letters) => store.writer.appendDeadLetters(letters),
    },
    idWindows: new SharedIdWindows({ records: 100_000, milliseconds: 3_600_000 }),
    cache: { keys: 200, weight: 1e8 },
    unsaved: { keys: 100, weight: 1e8 },
    saveIntervalMs: 20,
    lookMs: 100,
    onFailure: (error) => failures.push(error),
  });
  running.add(processor);
  processor.start();
  return processor;
}

async function stop(processor: ProjectionsProcessor, flushMs = 10_000): Promise<void> {
  running.delete(processor);
  await processor.close(flushMs);
}

interface Order {
  id: number;
  shop: string;
  amount: number;
}

const order = (id: number): Order => ({ id, shop: `shop-${(id * 7919) % 500}`, amount: (id * 31) % 1009 });
const orders = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => order(from + i));

async function write(all: readonly Order[]): Promise<void> {
  const producer = await log.producer();
  await producer.append(
    all.map(({ id, ...data }) => ({
      topic: topics.ofStream(definitions.stream(stream)!.id),
      key: uuid(id),
      value: valueOf({ id, entity: null, data: { ...data } }),
    })),
  );
}

async function define(name: string): Promise<ProjectionGeneration> {
  const building: ProjectionGeneration = {
    ...{ id: randomBytes(12).toString('hex'), version: 1, started_at: new Date().toISOString() },
    spec: {
      ...{ source: { streams: [stream] }, key: 'event.data.shop', from: 'beginning' },
      fields: {
        n: { op: 'count' },
        sum: { op: 'sum', value: 'event.data.amount' },
        most: { op: 'max', value: 'event.data.amount' },
      },
    },
    sources: { [stream]: { id: definitions.stream(stream)!.id } },
  };
  await definitions.projections.change(
    name,
    (current) => ({
      ...{ name, version: 1, created_at: building.started_at, paused: false, failure: null },
      ...{ serving: current?.serving ?? null, building },
    }),
    systemActor,
  );
  return building;
}

/**
 * Returns the expected aggregates of the events by shop. ClickHouse computes the aggregates from the events, without
 * the fold operations.
 */
async function expected(all: readonly Order[]): Promise<Map<string, string>> {
  const table = `${database}.expected_${randomBytes(4).toString('hex')}`;
  await sql(`CREATE TABLE ${table} (id UInt64, shop String, amount Int64) ENGINE = MergeTree ORDER BY id`);
  const rows = all.map(({ id, shop, amount }) => `(${id},'${shop}',${amount})`).join(',');
  await sql(`INSERT INTO ${table} VALUES ${rows}`);
  const text = await sql(
    `SELECT shop, count(), sum(amount), max(amount) FROM (SELECT DISTINCT * FROM ${table}) GROUP BY shop FORMAT TSV`,
  );
  const lines = text.trim().split('\n');
  return new Map(lines.map((line) => line.split('\t')).map(([shop, ...figures]) => [shop!, figures.join()]));
}

async function states(build: ProjectionGeneration): Promise<Map<string, string>> {
  const fold = compileFold(build.spec.fields);
  const keys = await store.projections.keys({ owner: build.id, limit: 10_000 });
  return new Map(
    keys.map(({ key, parts }) => {
      const merged = parts
        .map(({ state }) => JSON.parse(state) as FoldState)
        .reduce((a, b) => fold.merge(a, b));
      const { n, sum, most } = fold.results(merged);
      return [key, [n, sum, most].join()];
    }),
  );
}

async function untilThrough(build: ProjectionGeneration): Promise<void> {
  const topic = topics.ofStream(definitions.stream(stream)!.id);
  const isThrough = async () => {
    const committed = await log.admin.committed(topics.projectionGroup(build.id), topic);
    const offsets = await log.admin.offsets(topic);
    expect(offsets.every(({ partition, end }) => (committed.get(partition) ?? 0) >= end)).toBe(true);
  };
  await vi.waitFor(isThrough, { timeout: 90_000, interval: 100 });
}

const serves = (name: string, build: ProjectionGeneration) =>
  vi.waitFor(() => expect(definitions.projections.get(name)?.serving?.id).toBe(build.id), {
    timeout: 60_000,
    interval: 50,
  });

it('yields the aggregates that ClickHouse computes, through restarts, rebalances, repeated ids and a rebuild', async () => {
  await write(orders(0, 3000));
  const build = await define('shops');
  const first = start();
  await serves('shops', build);
  await write([...orders(3000, 5000), ...orders(100, 200)]);
  const second = start();
  await write(orders(5000, 6000));
  // The processor dies without saving and without leaving its consumer groups.
  await stop(first, 0);
  await write([...orders(6000, 7000), ...orders(0, 50)]);
  await untilThrough(build);
  const all = await expected(orders(0, 7000));
  expect(await states(build)).toEqual(all);
  const rebuilt = await define('shops');
  await serves('shops', rebuilt);
  await untilThrough(rebuilt);
  expect(await states(rebuilt)).toEqual(all);
  await stop(second);
  start();
  await write(orders(7000, 7500));
  await untilThrough(rebuilt);
  expect(await states(rebuilt)).toEqual(await expected(orders(0, 7500)));
  const progress = await store.projections.progress([rebuilt.id]);
  expect(progress.reduce((sum, { processed }) => sum + processed, 0)).toBe(7500);
});
