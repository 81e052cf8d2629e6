import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { compilePipeline, type PipelineSpec } from '#features/pipelines/computation';
import { SimulatedPipelines, PipelineTestBed, topics, type SpecEvent } from '../pipelines.fixture.js';
import { encodeRepartitionedEvent } from '../output/stage-record.js';

let world: PipelineTestBed;
let running: SimulatedPipelines[];
let topic: string;

const spec: PipelineSpec = {
  source: { streams: ['orders'] },
  operators: [{ dedupe: { key: 'event.entity_id', within: '1m' } }, { emit: { stream: 'out' } }],
  from: 'beginning',
};
const orders = (from: number, to: number): SpecEvent[] =>
  Array.from({ length: to - from }, (_, i) => ({ id: from + i, at: from + i, entity: `e-${from + i}` }));

const eventually = (check: () => Promise<void> | void) => vi.waitFor(check, { timeout: 10_000, interval: 3 });
const emitted = (count: number) => eventually(() => expect(world.emitted('out')).toHaveLength(count));
const failure = (text: string) => eventually(() => expect(world.pipeline('p')?.failure).toContain(text));

function start(): SimulatedPipelines {
  const one = new SimulatedPipelines(world);
  running.push(one);
  return one;
}

beforeEach(async () => {
  running = [];
  world = await PipelineTestBed.make(['orders'], 1);
  const { run } = await world.define('p', spec);
  topic = topics.pipelineTopic(run.id, compilePipeline(spec).stages[0]!.id);
  const first = start();
  await world.write(orders(0, 10));
  await emitted(10);
  await first.pipelines.close(1000);
});
afterEach(async () => {
  await Promise.all(running.map((one) => one.kill()));
  expect(running.flatMap(({ failures }) => failures)).toEqual([]);
  await world.close();
});

/** Fills the internal topic with events at other offsets than before the topic was deleted. */
async function refill(count: number): Promise<void> {
  const value = (offset: number) => {
    const origin = { stream: 'orders', partition: 0, offset, path: '' };
    const ids = { event_id: `id-${offset}`, event_type: 't', entity_id: null, schema_version: null };
    const event = { ...origin, ...ids, timestamp: 0, ingested_at: 0, metadata: '{}', data: '{}' };
    const from = { source: 'orders/0', offset, index: 0, path: '', watermark: 0 };
    return encodeRepartitionedEvent({ ...from, flow: { event, origin } });
  };
  const records = Array.from({ length: count }, (_, i) => ({ topic, key: `k-${i}`, value: value(100 + i) }));
  await world.producer.append(records);
}

describe('A pipeline whose internal topic', () => {
  it('is deleted while it runs fails, and the topic is not created again', async () => {
    start();
    await world.write(orders(10, 20));
    await emitted(20);
    await world.log.admin.remove(topic);
    await world.write(orders(20, 30));
    await failure(`The internal topic ${topic} is gone`);
    expect(await world.log.admin.partitions(topic)).toBeUndefined();
  });

  it('is deleted while it runs fails, even if there are no events to repartition', async () => {
    start();
    await eventually(() => expect([...running.at(-1)!.pipelines.partitions()]).toHaveLength(3));
    await world.log.admin.remove(topic);
    await failure(`The internal topic ${topic} is gone`);
  });

  it('is deleted while no process runs it fails, and the topic is not created again', async () => {
    await world.log.admin.remove(topic);
    start();
    await failure(`The internal topic ${topic} is gone`);
    expect(await world.log.admin.partitions(topic)).toBeUndefined();
  });

  it('is recreated manually fails if the new topic ends before the checkpoint', async () => {
    await world.log.admin.remove(topic);
    await world.log.admin.create(topic, { partitions: 1 });
    await refill(2);
    start();
    await failure('The log of partition 0 of the internal topic');
  });

  it('is recreated manually fails if the new topic ends after the checkpoint', async () => {
    await world.log.admin.remove(topic);
    await world.log.admin.create(topic, { partitions: 1 });
    await refill(1000);
    start();
    await failure(`The internal topic ${topic} is gone`);
    expect(world.emitted('out')).toHaveLength(10);
  });

  it('was deleted starts again when it is reset', async () => {
    await world.log.admin.remove(topic);
    start();
    await failure('is gone');
    await world.define('p', spec, { reset: true });
    await emitted(20);
  });
});

describe('A pipeline whose source topic has lost records that it has processed', () => {
  const source = () => topics.ofStream(world.definitions.stream('orders')!.id);

  it.each([3, 30])(
    'fails if %i others get their offsets while it runs, and starts again when it is reset',
    async (count) => {
      start();
      await eventually(() => expect([...running.at(-1)!.pipelines.partitions()]).toHaveLength(3));
      world.log.topics.get(source())!.loseEnd(0, 4);
      await world.write(orders(10, 10 + count));
      await failure(
        'Kafka has lost records of partition 0 of the stream orders that the pipeline has processed, from offset 4 on',
      );
      expect(world.emitted('out')).toHaveLength(10);
      await world.define('p', spec, { reset: true });
      // The new run emits the events that the log has.
      await emitted(10 + 4 + count);
    },
  );

  it.each([false, true])(
    'fails if others get their offsets while no process runs it (commits lost too: %s)',
    async (andCommits) => {
      world.log.topics.get(source())!.loseEnd(0, 4);
      const group = topics.pipelineGroup(world.pipeline('p')!.run.id);
      if (andCommits) expect(await world.log.admin.removeGroup(group)).toBe(true);
      await world.write(orders(10, 40));
      start();
      await failure('Kafka has lost records of partition 0 of the stream orders');
    },
  );
});
