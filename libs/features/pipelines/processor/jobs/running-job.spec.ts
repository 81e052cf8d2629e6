import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { UnknownTopicError, type Consumer, type ConsumerHandler, type Log } from '#kafka';
import { compilePipeline, type OperatorJson, type PipelineSpec } from '#features/pipelines/computation';
import {
  SimulatedPipelines,
  materialized,
  PipelineTestBed,
  topics,
  type SpecEvent,
} from '../pipelines.fixture.js';
import { encodeRepartitionedEvent, readStageRecord } from '../output/stage-record.js';
import { pipelineWatermark } from './pipeline-metrics.js';

let world: PipelineTestBed;
let process: SimulatedPipelines;
let consumer: Consumer;
let handler: ConsumerHandler;
/** Name of a topic that the in-memory log reports as unknown. */
let missing: string | undefined;
/** Promise that every request for the partitions of a topic waits for. */
let looking: Promise<unknown> | undefined;
let lookedFor = false;
/**
 * Makes the in-memory consumer behave like a Kafka consumer: a subscription takes effect after a moment, and not at all
 * if the subscription is reverted before that moment.
 */
const debounce = { on: false, topics: '' };

beforeEach(async () => {
  Object.assign(debounce, { on: false, topics: '' });
  [missing, looking, lookedFor] = [undefined, undefined, false];
  world = await PipelineTestBed.make(['orders', 'refunds']);
  process = new SimulatedPipelines(world, { log: debounced() });
});
afterEach(async () => {
  await process.kill();
  expect(process.failures).toEqual([]);
  await world.close();
});

function debounced(): Log {
  const { log } = world;
  const admin = materialized(log.admin);
  const partitions = admin.partitions.bind(admin);
  admin.partitions = async (topic) => {
    lookedFor = true;
    await looking;
    return partitions(topic);
  };
  admin.offsets = async (topic) => {
    if (topic === missing) throw new UnknownTopicError(topic);
    return log.admin.offsets(topic);
  };
  return {
    admin,
    producer: () => log.producer(),
    tableReader: (topic, handler) => log.tableReader(topic, handler),
    close: () => log.close(),
    consumer: (options) => {
      consumer = log.consumer(options);
      ({ handler } = options);
      const subscribe = consumer.subscribe.bind(consumer);
      consumer.subscribe = async (names) => {
        if (debounce.on || names.join() === debounce.topics) return;
        debounce.topics = names.join();
        await subscribe(names);
      };
      return consumer;
    },
  };
}

const out: OperatorJson = { emit: { stream: 'out' } };
const spec = (streams: string[], ...operators: OperatorJson[]): PipelineSpec => ({
  ...{ source: { streams }, operators, from: 'beginning' },
});
const windowed = spec(
  ['orders', 'refunds'],
  { window: { tumbling: '1h', key: '"all"', lateness: '0s' } },
  { reduce: { n: { op: 'count' } } },
  out,
);
const events = (from: number, to: number): SpecEvent[] =>
  Array.from({ length: to - from }, (_, i) => ({ id: from + i, at: from + i, partition: i % 2 }));

const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 10_000, interval: 3 });
const through = () => eventually(async () => expect(await world.isThrough('p')).toBe(true));
/** Resolves with the internal topic of the first stage when all records of the topic are read and committed. */
async function stageThrough(): Promise<string> {
  const { run, spec: current } = world.pipeline('p')!;
  const topic = topics.pipelineTopic(run.id, compilePipeline(current).stages[0]!.id);
  await eventually(async () => {
    const committed = await world.log.admin.committed(topics.pipelineGroup(run.id), topic);
    for (const { partition, end } of await world.log.admin.offsets(topic))
      expect(committed.get(partition) ?? 0).toBe(end);
  });
  return topic;
}
const pause = (ms = 300) => new Promise((resolve) => setTimeout(resolve, ms));

it('a job does not fail when a topic that its definition no longer has is still assigned', async () => {
  await world.define('p', windowed);
  await world.write(events(0, 10));
  await world.write(events(10, 20), 'refunds');
  await through();
  const stage = await stageThrough();

  debounce.on = true;
  await world.define('p', spec(['orders'], out));
  await pause();
  for (const topic of [stage, world.topicOf('refunds')]) consumer.reassign(topic);
  // A lost checkpoint is reported within a second.
  await pause(1500);

  expect(world.pipeline('p')).toMatchObject({ failure: null });
});

it('a stream that is deleted during its assignment does not end the process', async () => {
  missing = world.topicOf('orders');
  await world.define('p', spec(['orders', 'refunds'], out));
  await world.write(events(0, 10));
  await world.write(events(10, 20), 'refunds');
  await eventually(async () => expect(world.emitted('out')).toHaveLength(10));
  missing = undefined;
  await through();
  expect(world.emitted('out')).toHaveLength(20);
});

it('offsets without records in an internal topic are skipped and do not count as lag', async () => {
  await world.define('p', windowed);
  await world.write(events(0, 10));
  await through();
  const topic = await stageThrough();
  const { end } = (await world.log.admin.offsets(topic))[0]!;

  // The number of offsets is far greater than the number of watermark records that arrive meanwhile.
  const next = end + 1000;
  await handler.batch({ topic, partition: 0, records: [], bytes: 0, next, highWatermark: next });

  await eventually(async () => {
    const group = topics.pipelineGroup(world.pipeline('p')!.run.id);
    expect((await world.log.admin.committed(group, topic)).get(0)).toBeGreaterThanOrEqual(next);
  });
});

it('a stop does not wait for a partition whose reassignment was requested', async () => {
  await world.define('p', spec(['orders'], out));
  await world.write(events(0, 10));
  await through();
  const topic = world.topicOf('orders');
  // The batch is so far below the position of the task that the host requests a reassignment of the partition.
  void handler.batch({ topic, partition: 0, records: [], bytes: 0, next: -1e9, highWatermark: 0 });
  await process.pipelines.close(600_000);
});

it('a job that is stopped while it looks up its topics does nothing more', async () => {
  await world.define('p', windowed);
  await through();
  await process.kill();
  lookedFor = false;
  looking = new Promise((resolve) => setTimeout(resolve, 50));
  Object.assign(debounce, { topics: '' });
  process = new SimulatedPipelines(world, { log: debounced() });
  await vi.waitFor(() => expect(lookedFor).toBe(true));
  await process.pipelines.close(600_000);
  await looking;
  const told = vi.spyOn(pipelineWatermark, 'remove');
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(told).not.toHaveBeenCalled();
});

it('a job fails with a reason when records of an internal topic cannot be decoded', async () => {
  await world.define('p', windowed);
  await world.write(events(0, 10));
  await through();
  const topic = await stageThrough();
  const { end } = (await world.log.admin.offsets(topic))[0]!;

  const next = end + 3;
  const undecodable = [{ offset: end, lastOffset: end + 2, reason: 'it is damaged' }];
  void handler.batch({ topic, partition: 0, records: [], bytes: 0, next, highWatermark: next, undecodable });

  const failure = `Some records of the internal topic ${topic} from offset ${end} on cannot be read: it is damaged. Reset the pipeline.`;
  await eventually(async () => expect(world.pipeline('p')).toMatchObject({ failure }));
});

it('a stage that is removed and immediately added again misses no event', async () => {
  await world.define('p', windowed);
  await world.write(events(0, 10));
  await through();
  const topic = await stageThrough();

  debounce.on = true;
  await world.define('p', spec(['orders', 'refunds'], out));
  await pause();
  // A processor that has not read the changed definition repartitions an event of the removed source stream.
  await world.write([{ id: 10, at: 10, partition: 0 }], 'refunds');
  await through();
  const forwarded = world.log.topics
    .get(topic)!
    .partitions.flatMap(({ records }) => records)
    .find((record) => readStageRecord(record)?.forwarded)!;
  const { forwarded: read } = readStageRecord(forwarded)!;
  const value = encodeRepartitionedEvent({ ...read!, source: 'refunds/0', offset: 0 });
  await world.producer.append([{ topic, key: 'all', value, partition: forwarded.partition }]);
  await pause();
  await world.define('p', windowed);
  debounce.on = false;
  await world.write(events(20, 30));
  await through();
  world.now += 48 * 3_600_000;
  await eventually(async () => {
    world.now += 3_600_000;
    expect(world.emitted('out').filter(({ event_type }) => event_type === 'window')).not.toHaveLength(0);
  });

  const results = world.emitted('out').filter(({ event_type }) => event_type === 'window');
  expect(results.map(({ data }) => (JSON.parse(data) as { n: number }).n)).toEqual([21]);
});
