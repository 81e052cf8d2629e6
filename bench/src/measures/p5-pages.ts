import type { TestSystem } from '#testkit';
import { withStack, type BenchContext } from '../bench.js';
import { PlainClickHouseClient } from '../clickhouse.js';
import {
  createPageStreams,
  insertFlights,
  makeEvents,
  sizeOf,
  type DatasetComposition,
} from '../pages/dataset.js';
import { pageKinds, pagePaths, type PageSelectionKind } from '../pages/queries.js';
import type { PageLatencies } from '../pages/time-pages.js';
import { timeRuns } from '../pages/time-runs.js';
import { figure, goal, type MeasuredFigure } from '../report.js';
import { median, percentile } from '../statistics.js';

const pagesPerRun = 200;

type Times = Record<PageSelectionKind, PageLatencies[]>;

/**
 * P5 and P6: pages of 100 at a tenth of the data set and at all of it, each compared with the same SQL sent directly.
 */
export async function pages(bench: BenchContext): Promise<MeasuredFigure[]> {
  const whole = sizeOf(bench.options.pageEvents);
  const tenth = { made: Math.floor(bench.options.pageEvents / 10), flights: 0 };
  return withStack(bench, async (stack) => {
    const clickhouse = new PlainClickHouseClient(bench.engines, stack.database);
    const { made: streams, flights } = await createPageStreams(stack);
    await makeEvents(clickhouse, { streams, from: 0, until: tenth.made });
    const atTenth = await timeKinds(bench, stack, tenth);
    await makeEvents(clickhouse, { streams, from: tenth.made, until: whole.made });
    await insertFlights(clickhouse, flights, whole.flights);
    const atWhole = await timeKinds(bench, stack, whole);
    return pageKinds.flatMap((kind) => rowsOf(kind, { events: bench.options.pageEvents, atTenth, atWhole }));
  });
}

async function timeKinds(bench: BenchContext, stack: TestSystem, size: DatasetComposition): Promise<Times> {
  bench.say(`pages of ${figure(size.made + size.flights)} events`);
  await new PlainClickHouseClient(bench.engines, stack.database).settled();
  const kinds = pageKinds.map((kind) =>
    Array.from({ length: bench.options.runs }, (_, run) =>
      pagePaths(kind, size, { count: pagesPerRun, seed: run + 1 }),
    ),
  );
  const times = await timeRuns(bench, stack, kinds);
  return Object.fromEntries(pageKinds.map((kind, index) => [kind, times[index]!])) as Times;
}

function rowsOf(
  kind: PageSelectionKind,
  found: { events: number; atTenth: Times; atWhole: Times },
): MeasuredFigure[] {
  const at = (share: number) => (runs: PageLatencies[]) =>
    runs.map(({ system }) => percentile(system, share));
  const direct = (share: number) => (runs: PageLatencies[]) =>
    runs.map((run) => percentile(run.direct, share));
  const [half, most] = [at(0.5)(found.atWhole[kind]), at(0.99)(found.atWhole[kind])];
  const halfDirect = direct(0.5)(found.atWhole[kind]);
  const halfTenth = at(0.5)(found.atTenth[kind]);
  const what = `page of 100 by ${kind}, ${figure(found.events)} events`;
  const row = { unit: 'ms', measure: 'P5' };
  const slower = median(half) / median(halfDirect);
  const grown = median(half) / median(halfTenth);
  return [
    { ...row, what: `${what}, p50`, runs: half, must: goal(median(half), { below: 10 }, 'ms') },
    {
      ...row,
      what: 'the same, compared with the same SQL sent directly',
      runs: half,
      baseline: { what: 'straight', runs: halfDirect },
      must: goal(slower, { below: 1.5 }, '×'),
    },
    {
      ...row,
      what: `${what}, p99`,
      runs: most,
      baseline: { what: 'straight', runs: direct(0.99)(found.atWhole[kind]) },
      must: goal(median(most), { below: 40 }, 'ms'),
      aim: goal(median(most), { below: 15 }, 'ms'),
    },
    {
      ...row,
      measure: 'P6',
      what: `${what}, p50 against a tenth of them`,
      runs: half,
      baseline: { what: 'at a tenth', runs: halfTenth },
      must: goal(grown, { below: 1.5 }, '×'),
      aim: goal(grown, { below: 1.1 }, '×'),
    },
  ];
}
