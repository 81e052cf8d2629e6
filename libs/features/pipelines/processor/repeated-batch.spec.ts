import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ConsumerRecord } from '#kafka';
import type { OperatorJson, PipelineSpec } from '#features/pipelines/computation';
import { SimulatedPipelines, PipelineTestBed, type PipelineCrashPoint } from './pipelines.fixture.js';
import { readStageRecord } from './output/stage-record.js';

let world: PipelineTestBed;
let running: SimulatedPipelines[];

beforeEach(async () => {
  running = [];
  world = await PipelineTestBed.make(['orders'], 1);
});
afterEach(async () => {
  await Promise.all(running.map((one) => one.kill()));
  expect(running.flatMap(({ failures }) => failures)).toEqual([]);
  await world.close();
});

const eventually = (check: () => Promise<void> | void) => vi.waitFor(check, { timeout: 10_000, interval: 3 });

const spec = (...operators: OperatorJson[]): PipelineSpec => ({
  ...{ source: { streams: ['orders'] }, operators, from: 'beginning' },
});
const parts: OperatorJson = { flat_map: { list: 'event.data.parts', as: 'part' } };
const counted: OperatorJson[] = [
  { window: { tumbling: '1h', key: '"all"', lateness: '0s' } },
  { reduce: { n: { op: 'count' }, parts: { op: 'collect', value: 'event.data.part' } } },
  { emit: { stream: 'out' } },
];

/** Runs a process that dies after repartitioning events and before saving its progress. */
async function diesBeforeSaving(): Promise<void> {
  const first = new SimulatedPipelines(world);
  running.push(first);
  let forwarded = false;
  first.before = (step: PipelineCrashPoint) => {
    forwarded ||= step === 'appended' && [...world.log.topics.values()].some(hasForwards);
    if (step === 'save' && forwarded) first.dead = true;
  };
  await world.write([{ id: 1, data: { parts: ['a', 'b', 'c'] } }]);
  await eventually(() => expect(first.dead).toBe(true));
  await first.kill();
}

function hasForwards({ partitions }: { partitions: { records: ConsumerRecord[] }[] }): boolean {
  return partitions.some(({ records }) => records.some((record) => readStageRecord(record)?.forwarded));
}

/** Resolves with all elements that the window results contain. */
async function results(): Promise<unknown[]> {
  running.push(new SimulatedPipelines(world));
  await eventually(async () => expect(await world.isThrough('p')).toBe(true));
  world.now += 48 * 3_600_000;
  await eventually(() => {
    world.now += 3_600_000;
    expect(world.emitted('out')).toHaveLength(1);
  });
  return world.datas('out');
}

describe('A batch that was repartitioned and not saved', () => {
  it('is not counted twice when a changed definition lets other parts of an event pass', async () => {
    await world.define('p', spec(parts, { filter: 'event.data.part == "b"' }, ...counted));
    await diesBeforeSaving();
    await world.define('p', spec(parts, { filter: 'event.data.part != "c"' }, ...counted));
    expect(await results()).toMatchObject([{ n: 1, parts: ['b'] }]);
  });

  it('also includes the parts that a changed definition lets pass', async () => {
    await world.define('p', spec(parts, { filter: 'event.data.part == "b"' }, ...counted));
    await diesBeforeSaving();
    await world.define('p', spec(parts, { filter: 'event.data.part != "a"' }, ...counted));
    expect(await results()).toMatchObject([{ n: 2, parts: ['b', 'c'] }]);
  });
});

describe('A batch that was emitted and not saved', () => {
  it('is not emitted twice, even if more events were written since than the id windows of readers have', async () => {
    await world.define('p', spec(parts, { emit: { stream: 'out' } }));
    await world.write(Array.from({ length: 1500 }, (_, id) => ({ id, data: { parts: ['a', 'b'] } })));
    const first = new SimulatedPipelines(world);
    running.push(first);
    first.before = (step: PipelineCrashPoint) => {
      if (step === 'save' && world.emitted('out').length >= 2000) first.dead = true;
    };
    await eventually(() => expect(first.dead).toBe(true));
    await first.kill();
    const others = Array.from({ length: 3000 }, (_, i) => ({ id: 10_000 + i, entity: 'e' }));
    await world.write(others, 'out');
    running.push(new SimulatedPipelines(world));
    await eventually(async () => expect(await world.isThrough('p')).toBe(true));
    expect(world.emitted('out')).toHaveLength(2 * 1500 + others.length);
  });
});
