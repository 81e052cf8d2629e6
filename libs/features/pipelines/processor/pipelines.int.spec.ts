import { pipelineKind } from '#features/pipelines/definition';
import { projectionKind } from '#features/projections/definition';
import { subscriptionKind } from '#features/subscriptions/definition';
import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { StalledConsumerDetector } from '#engine';
import { noErasures } from '#engine/memory';
import { decodeRecord, encodeRecord, TopicAndGroupNames } from '#event';
import { resourceKinds, openDefinitions, systemActor, type Definitions } from '#registry';
import { openKafkaLog, type Log, type Producer } from '#kafka';
import { openClickHouse, type Store } from '#store';
import {
  compilePipeline,
  sumStepCounts,
  type OperatorJson,
  type EventCountsByOperator,
} from '#features/pipelines/computation';
import { IdWindow, SharedIdWindows } from '#dataflow';
import { createLogger } from '#telemetry';
import { askClickHouse, testClickHouse, testEngines } from '#testkit';
import { recordOf, type SpecEvent } from './pipelines.fixture.js';
import { PipelinesProcessor } from './pipelines-processor.js';

const suffix = randomBytes(4).toString('hex');
const topics = new TopicAndGroupNames(`test-${suffix}.`);
const database = `test_${suffix}`;
const run = randomBytes(12).toString('hex');
const window = { records: 100_000, milliseconds: 3_600_000 };
let log: Log;
let producer: Producer;
let store: Store;
let definitions: Definitions;
const running = new Set<PipelinesProcessor>();
const failures: Error[] = [];

beforeAll(async () => {
  const { kafkaBrokers } = testEngines();
  log = openKafkaLog({
    ...{ brokers: kafkaBrokers.split(','), clientId: 'test', replicationFactor: -1 },
    // The session timeout is short, so that Kafka soon reassigns the partitions of a killed member.
    bounds: { sessionTimeoutMs: 6000, subscribeDebounceMs: 50 },
  });
  producer = await log.producer();
  store = openClickHouse(testClickHouse(database));
  await store.migrate();
  definitions = openDefinitions({
    log,
    names: topics,
    defaults: { partitions: 3 },
    kinds: [...resourceKinds, projectionKind, pipelineKind, subscriptionKind],
  });
  await definitions.start();
  for (const stream of ['orders', 'copies', 'minutes'])
    await definitions.createStream({ stream }, systemActor);
});

afterEach(async () => {
  await Promise.all([...running].map((pipelines) => stop(pipelines)));
  expect(failures).toEqual([]);
});

afterAll(async () => {
  await definitions.close();
  for (const topic of await log.admin.list(topics.prefix)) await log.admin.remove(topic);
  await producer.close();
  await log.close();
  await store.close();
  await askClickHouse(testEngines(), `DROP DATABASE ${database}`);
});

function start(): PipelinesProcessor {
  const { pipelines: written } = store;
  const pipelines = new PipelinesProcessor({
    ...{
      log,
      topics,
      definitions,
      producer,
      idWindows: new SharedIdWindows(window),
      erasures: noErasures,
      progress: new StalledConsumerDetector(),
    },
    logger: createLogger({ name: 'test', level: 'silent' }),
    writer: {
      save: (rows, progress) => written.save(rows, progress),
      load: (place, names) => written.load(place, names),
      due: (place, query) => written.due(place, query),
      progressOf: (place) => written.progressOf(place),
      progress: (runs) => written.progress(runs),
      removeClosed: (of, closed) => written.removeClosed(of, closed),
      removeStages: (of, stages) => written.removeStages(of, stages),
      remove: (of) => written.remove(of),
      owners: () => written.owners(),
      appendDeadLetters: (letters) => store.writer.appendDeadLetters(letters),
    },
    reader: store.reader,
    projections: store.projections,
    webhooks: {
      deliver: () => Promise.reject(new Error('there are none')),
      missingConfiguration: () => undefined,
    },
    // The row cache is small, so that most rows are loaded from the store.
    cache: { keys: 10, weight: 1e8 },
    unsaved: { keys: 100, weight: 1e8 },
    saveIntervalMs: 20,
    pace: { tellMs: 200, quietSaveMs: 5000, goneMs: 1500 },
    onFailure: (error) => failures.push(error),
  });
  running.add(pipelines);
  pipelines.start();
  return pipelines;
}

async function stop(pipelines: PipelinesProcessor, flushMs = 10_000): Promise<void> {
  running.delete(pipelines);
  await pipelines.close(flushMs);
}

const shops = 20;
const order = (id: number): SpecEvent => ({
  ...{ id, at: id / 10, entity: `order-${id}` },
  data: { shop: `shop-${(id * 7919) % shops}`, amount: id },
});
const orders = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => order(from + i));

async function write(events: readonly SpecEvent[]): Promise<void> {
  const topic = topics.ofStream(definitions.stream('orders')!.id);
  await producer.append(
    events.map((event) => ({
      ...{ topic, key: event.entity!, value: encodeRecord(recordOf(event)), partition: event.partition },
    })),
  );
}

/** Returns the events of a stream as readers see them, by their data. */
async function emitted(stream: string): Promise<Record<string, unknown>[]> {
  const found: Record<string, unknown>[] = [];
  const windows = new Map<number, IdWindow>();
  const ends = await log.admin.offsets(topics.ofStream(definitions.stream(stream)!.id));
  const left = new Set(ends.filter(({ end }) => end > 0).map(({ partition }) => partition));
  await new Promise<void>((resolve, reject) => {
    const consumer = log.consumer({
      group: `${topics.prefix}reader.${randomBytes(4).toString('hex')}`,
      onCrash: reject,
      handler: {
        assigned: (assignment) => Promise.resolve(assignment.beginning),
        revoked: () => undefined,
        batch: (batch) => {
          const ids = windows.get(batch.partition) ?? new IdWindow(window);
          windows.set(batch.partition, ids);
          for (const { value, offset, timestamp } of batch.records) {
            const event = decodeRecord(value!);
            if (!ids.repeats(event.event_id, offset, timestamp))
              found.push(JSON.parse(event.data) as Record<string, unknown>);
          }
          if (batch.next >= ends[batch.partition]!.end) left.delete(batch.partition);
          if (left.size === 0) consumer.close().then(resolve, reject);
          return Promise.resolve();
        },
      },
    });
    if (left.size === 0) consumer.close().then(resolve, reject);
    else consumer.subscribe([topics.ofStream(definitions.stream(stream)!.id)]).catch(reject);
  });
  return found;
}

async function define(operators: OperatorJson[]): Promise<void> {
  const started_at = new Date().toISOString();
  const source = { streams: ['orders'], where: 'event.event_type == "order.placed"' };
  await definitions.pipelines.change(
    'p',
    () => ({
      ...{ name: 'p', version: 1, created_at: started_at, paused: false, failure: null },
      spec: { source, operators, from: 'beginning' as const },
      run: {
        id: run,
        started_at,
        sources: { orders: { id: definitions.stream('orders')!.id } },
      },
    }),
    systemActor,
  );
}

async function counted(): Promise<{ processed: number; emitted: number; late: number }> {
  const rows = await store.pipelines.progress([run]);
  const sum = (of: 'processed' | 'emitted' | 'late') => rows.reduce((all, row) => all + row[of], 0);
  return { processed: sum('processed'), emitted: sum('emitted'), late: sum('late') };
}

/** Returns the stored event counts of each operator. */
async function steps(): Promise<(readonly number[] | undefined)[]> {
  const rows = await store.pipelines.progress([run]);
  const counts = rows.reduce<EventCountsByOperator>((sum, { steps = {} }) => sumStepCounts(sum, steps), {});
  return compilePipeline(definitions.pipelines.get('p')!.spec).steps.map(({ key }) => counts[key]);
}

it('emits each event and the result of each window once, through restarts and rebalances', async () => {
  await define([
    { emit: { stream: 'copies' } },
    { window: { tumbling: '1m', key: 'event.data.shop', lateness: '1d' } },
    { reduce: { n: { op: 'count' }, sum: { op: 'sum', value: 'event.data.amount' } } },
    { emit: { stream: 'minutes' } },
  ]);
  await write(orders(0, 1500));
  const first = start();
  await vi.waitFor(async () => expect((await counted()).processed).toBeGreaterThan(0), { timeout: 60_000 });
  start();
  await write([...orders(1500, 2500), ...orders(100, 200)]);
  // The process dies without saving and without leaving its consumer groups.
  await stop(first, 0);
  start();
  // An event of two days later in every partition closes all windows.
  const last = [0, 1, 2].map((partition) => ({
    ...order(10_000 + partition),
    ...{ partition, at: 200_000, type: 'other' },
  }));
  await write([...orders(2500, 3000), ...last]);
  const windows = shops * 5;
  await vi.waitFor(
    async () => expect(await counted()).toEqual({ processed: 3000, emitted: 3000 + windows, late: 0 }),
    { timeout: 120_000, interval: 200 },
  );
  expect(await steps()).toEqual([
    [3000, 3000, 0, 0, 0],
    [3000, 3000, 0, 0, 0],
    [3000, windows, 0, 0, 0],
    [windows, windows, 0, 0, 0],
  ]);
  const copies = (await emitted('copies')).map(({ amount }) => amount as number);
  expect(copies.sort((a, b) => a - b)).toEqual(orders(0, 3000).map(({ id }) => id));
  const minutes = await emitted('minutes');
  expect(minutes).toHaveLength(windows);
  expect(minutes.reduce((sum, { n }) => sum + (n as number), 0)).toBe(3000);
  expect(minutes.reduce((all, { sum }) => all + (sum as number), 0)).toBe((2999 * 3000) / 2);
});

it('fails when its internal topic is deleted, during a run or before it, and never creates it again', async () => {
  await define([{ dedupe: { key: 'event.data.shop', within: '1m' } }, { emit: { stream: 'copies' } }]);
  const isGone = () =>
    vi.waitFor(() => expect(definitions.pipelines.get('p')?.failure).toContain('is gone'), {
      timeout: 60_000,
      interval: 100,
    });
  const first = start();
  const { id } = compilePipeline(definitions.pipelines.get('p')!.spec).stages[0]!;
  const topic = topics.pipelineTopic(run, id);
  const ofStage = async () => (await store.pipelines.progress([run])).filter(({ stage }) => stage === id);
  await vi.waitFor(async () => expect(await ofStage()).toHaveLength(3), { timeout: 60_000, interval: 100 });
  await log.admin.remove(topic);
  await isGone();
  await stop(first);
  const { pipelines } = definitions;
  await pipelines.change('p', (one) => one && { ...one, failure: null }, systemActor);
  start();
  await isGone();
  expect(await log.admin.partitions(topic)).toBeUndefined();
});
