import type { TestSystem } from '#testkit';
import { eachRun, withStack, type BenchContext } from '../bench.js';
import { PlainClickHouseClient } from '../clickhouse.js';
import { MemorySampler } from '../memory-sampler.js';
import type { PageLatencies } from '../pages/time-pages.js';
import { timeRuns } from '../pages/time-runs.js';
import { byEntity, fillStream, foldBacklog, rateBetween, remove, untilProjection } from '../projections.js';
import { drainOnce } from './p3-drain.js';
import { figure, goal, type MeasuredFigure } from '../report.js';
import { median, percentile } from '../statistics.js';
import { randomFrom } from '../workload.js';

const defaultEvents = 2_000_000;
const stream = 'backlog';
const readsPerRun = 200;

interface Folded {
  /** Events per second while every key is new, and while each key was used half a run ago. */
  fresh: number;
  known: number;
  /** The maximum memory of the processor in MB. */
  memory: number;
  cpuSeconds: Record<string, number>;
}

/**
 * KEYS: a projection with half as many keys as events. Each key occurs once, in scattered order, and then once more, so
 * in the second half no key is still in memory. At the end, the measure reads states of the projection.
 */
export async function keys(bench: BenchContext): Promise<MeasuredFigure[]> {
  const events = bench.options.events ?? defaultEvents;
  const entities = Math.ceil(events / 2);
  return withStack(
    bench,
    async (stack) => {
      await fillStream(stack, stream, { events, entities });
      // Partitions with more records than an id window wait for the materializer's verdicts.
      await drainOnce(bench, stack, { stream });
      for (const materializer of stack.materializers) await materializer.stop();
      const runs = await eachRun(bench, async (run) => {
        if (run > 1) await remove(stack, 'keys');
        return foldKeys(bench, stack, { events, entities });
      });
      await untilProjection(stack, 'keys', ({ status }) => status === 'running');
      return [...foldRows(runs, { events, entities }), ...(await readRows(bench, stack, entities))];
    },
    { processors: 1 },
  );
}

async function foldKeys(
  bench: BenchContext,
  stack: TestSystem,
  { events, entities }: { events: number; entities: number },
): Promise<Folded> {
  const processes = () => Object.fromEntries(stack.processors.map(({ pid }) => ['processor', pid]));
  const sampler = new MemorySampler(() => (stack.processors[0]?.running ? processes() : {}));
  const { first, marks, cpuSeconds } = await foldBacklog(bench, stack, {
    ...{ definition: byEntity('keys', stream), marks: [entities, events] },
  });
  const memory = sampler.stop().processor?.max ?? NaN;
  const [half, last] = [marks[0]!, marks[1]!];
  const folded = { fresh: rateBetween(first, half), known: rateBetween(half, last), memory, cpuSeconds };
  bench.say(`${figure(folded.fresh)} events/s, then ${figure(folded.known)}; ${figure(memory)} MB`);
  return folded;
}

function foldRows(
  runs: readonly Folded[],
  { entities }: { events: number; entities: number },
): MeasuredFigure[] {
  const row = { measure: 'KEYS', unit: 'events/s' };
  const [fresh, known] = [runs.map((run) => run.fresh), runs.map((run) => run.known)];
  const memory = runs.map((run) => run.memory);
  const what = `folding ${figure(entities)} keys`;
  return [
    { ...row, what: `${what}, all new`, runs: fresh, details: { runs } },
    {
      ...row,
      what: `${what}, each seen once, none in memory`,
      runs: known,
      must: goal(median(known), { atLeast: 5_000 }),
    },
    {
      ...{ measure: 'KEYS', unit: 'MB', what: 'memory of the processor meanwhile', runs: memory },
      must: goal(median(memory), { below: 400 }, 'MB'),
      aim: goal(median(memory), { below: 250 }, 'MB'),
    },
  ];
}

async function readRows(bench: BenchContext, stack: TestSystem, entities: number): Promise<MeasuredFigure[]> {
  await new PlainClickHouseClient(bench.engines, stack.database).settled();
  const path = '/api/v1/projections/keys/state';
  const oneKey = paths(bench, (below) => `${path}/order-${below(entities)}`);
  const pages = paths(bench, (below) => `${path}?limit=100&prefix=order-${below(entities / 1000)}`);
  const [one, page] = await timeRuns(bench, stack, [oneKey, pages]);
  return [
    ...timeRows(`state of one of ${figure(entities)} keys`, one!),
    ...timeRows(`page of 100 of ${figure(entities)} keys, by prefix`, page!),
  ];
}

function paths(bench: BenchContext, pathOf: (below: (limit: number) => number) => string): string[][] {
  return Array.from({ length: bench.options.runs }, (_, run) => {
    const random = randomFrom(run + 1);
    const below = (limit: number) => Math.floor(random() * limit);
    return Array.from({ length: readsPerRun }, () => pathOf(below));
  });
}

function timeRows(what: string, times: readonly PageLatencies[]): MeasuredFigure[] {
  return [0.5, 0.99].map((share) => ({
    measure: 'KEYS',
    what: `${what}, p${share * 100}`,
    unit: 'ms',
    runs: times.map(({ system }) => percentile(system, share)),
    baseline: { what: 'straight', runs: times.map(({ direct }) => percentile(direct, share)) },
  }));
}
