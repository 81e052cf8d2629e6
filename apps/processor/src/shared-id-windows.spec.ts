import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { systemActor } from '#registry';
import { SharedIdWindows } from '#dataflow';
import { type PipelineSpec } from '#features/pipelines/computation';
import {
  SimulatedPipelines,
  PipelineTestBed,
} from '../../../libs/features/pipelines/processor/pipelines.fixture.js';
import { SimulatedProjections, type ProjectionCrashPoint } from './processor.fixture.js';

const bounds = { records: 1000, milliseconds: 3_600_000 };
const pipeline: PipelineSpec = {
  ...{ source: { streams: ['orders'] }, operators: [{ emit: { stream: 'out' } }], from: 'beginning' },
};

let world: PipelineTestBed;
let idWindows: SharedIdWindows;
let pipelines: SimulatedPipelines | undefined;
let projections: SimulatedProjections | undefined;
/** Lets the saves continue that a spec holds. */
let release: () => void;

beforeEach(async () => {
  world = await PipelineTestBed.make(['orders'], 2);
  idWindows = new SharedIdWindows(bounds);
  release = () => undefined;
});
afterEach(async () => {
  release();
  await stop();
  await world.close();
});

/** Starts the projections and the pipelines of one process. */
function start(before?: (step: ProjectionCrashPoint) => Promise<void>): void {
  // A projection does not read its next batch before the states of the previous one are saved.
  projections = new SimulatedProjections(world, { idWindows, unsaved: { keys: 1, weight: 1e9 } });
  if (before) projections.before = before;
  pipelines = new SimulatedPipelines(world, { idWindows });
}

/** Stops the process, and checks that it has freed all windows. */
async function stop(): Promise<void> {
  await Promise.all([projections?.processor.close(5000), pipelines?.pipelines.close(5000)]);
  expect([...(projections?.failures ?? []), ...(pipelines?.failures ?? [])]).toEqual([]);
  expect([idWindows.size, idWindows.bytes]).toEqual([0, 0]);
  [projections, pipelines] = [undefined, undefined];
}

/** Defines a projection that counts events. A new `build` counts them from the beginning again. */
async function count(name: string, build: string): Promise<void> {
  const started_at = new Date(1_795_000_000_000).toISOString();
  const building = {
    ...{ id: build.padStart(24, '0'), version: 1, started_at },
    sources: { orders: { id: world.definitions.stream('orders')!.id } },
    spec: {
      ...{ source: { streams: ['orders'] }, key: 'event.data.key', from: 'beginning' as const },
      fields: { n: { op: 'count' } },
    },
  };
  await world.definitions.projections.change(
    name,
    (current) => ({
      ...{ name, version: 1, created_at: started_at, paused: false, failure: null, building },
      serving: current?.serving ?? null,
    }),
    systemActor,
  );
}

/** Resolves with the number of events that each of these generations has counted. */
async function counted(...builds: string[]): Promise<number[]> {
  const sums = builds.map(async (build) => {
    const progress = await world.store.projections.progress([build.padStart(24, '0')]);
    return progress.reduce((sum, { processed }) => sum + processed, 0);
  });
  return await Promise.all(sums);
}

/** Writes events with different ids, and repeats a tenth of them. */
async function write(from: number, until: number): Promise<void> {
  for (let id = from; id < until; id++) {
    const event = { id, entity: `e${id % 20}`, data: { key: `k${id % 20}` } };
    await world.write(id % 10 === 0 ? [event, event] : [event]);
  }
}

const eventually = (check: () => Promise<void> | void) => vi.waitFor(check, { timeout: 20_000, interval: 5 });

it('projections and pipelines that read the same partition share one id window', async () => {
  await write(0, 3000);
  await count('a', '1');
  start();
  await eventually(async () => expect(await counted('1')).toEqual([3000]));
  expect(idWindows.size).toBe(2);
  const alone = idWindows.bytes;
  await stop();

  await count('b', '2');
  await world.define('p', pipeline);
  start();
  await write(3000, 3100);
  await eventually(async () => {
    expect(await counted('1', '2')).toEqual([3100, 3100]);
    expect(await world.isThrough('p')).toBe(true);
  });
  expect(world.emitted('out')).toHaveLength(3100);
  // A reader that was behind uses the common window from its next record on.
  await write(3100, 3200);
  await eventually(async () => expect(await counted('1', '2')).toEqual([3200, 3200]));
  await eventually(() => expect(world.emitted('out')).toHaveLength(3200));
  expect(idWindows.size).toBe(2);
  expect(idWindows.bytes).toBeLessThan(alone * 1.2);
});

it('a generation that begins at offset 0 counts each event once, while other readers are at the end', async () => {
  await write(0, 2500);
  await count('a', '1');
  await world.define('p', pipeline);
  start();
  await eventually(async () => expect(await counted('1')).toEqual([2500]));
  await count('a', '2');
  await write(2500, 2600);
  await eventually(async () => expect(await counted('2')).toEqual([2600]));
  await write(2600, 2700);
  await eventually(async () => expect(await counted('2')).toEqual([2700]));
  await eventually(() => expect(world.emitted('out')).toHaveLength(2700));
  expect(idWindows.size).toBe(2);
});

it('a projection that is so far behind that its decisions are forgotten is assigned again, and counts each event once', async () => {
  idWindows = new SharedIdWindows(bounds, { kept: 64, most: 512 });
  const open = vi.spyOn(idWindows, 'open');
  await count('a', '1');
  await world.define('p', pipeline);
  const held = new Promise<void>((resolve) => (release = resolve));
  let [holds, isHeld] = [false, false];
  start(async (step) => {
    if (!holds || step !== 'rows') return;
    isHeld = true;
    await held;
  });
  await write(0, 100);
  await eventually(async () =>
    expect([await counted('1'), await world.isThrough('p')]).toEqual([[100], true]),
  );
  const opened = open.mock.calls.length;
  // The projection cannot save the first of these events, and reads no further while the pipeline reads the others.
  holds = true;
  await write(100, 101);
  await eventually(() => expect(isHeld).toBe(true));
  await write(101, 4000);
  await eventually(async () => expect(await world.isThrough('p')).toBe(true));
  expect(open).toHaveBeenCalledTimes(opened);
  release();
  await eventually(async () => expect(await counted('1')).toEqual([4000]));
  expect(open.mock.calls.length).toBeGreaterThan(opened);
  await eventually(() => expect(world.emitted('out')).toHaveLength(4000));
});
