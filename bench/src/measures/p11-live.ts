import { eachRun, type BenchContext } from '../bench.js';
import { runClosedLoop } from '../load/start.js';
import { withLocalSystem, type LocalSystem } from '../local-system.js';
import { goal, type MeasuredFigure } from '../report.js';
import { median } from '../statistics.js';
import { caughtUp, furnish, lagsOf, spentIn, type CpuSecondsByProcess } from '../whole-system.js';

const seconds = 60;
/** A time limit in seconds, because a snapshotter may be hours behind. */
const catchUpSeconds = 600;

const loads = [
  { what: 'single events, 64 connections', connections: 64, batchSize: 1, must: 6_000, aim: 10_000 },
  { what: 'batches of 500, 4 connections', connections: 4, batchSize: 500, must: 60_000, aim: 90_000 },
];
const mostLag = 10;

interface Seen {
  eventsPerSecond: number;
  /** The greatest lag at the end of the load, and the seconds until there was none. */
  lag: number;
  caughtUp: number;
  lags: Record<string, number>;
  byProcess: CpuSecondsByProcess;
}

/** P11: the maximum rate for a minute with all features: a projection, a pipeline with a window, snapshots. */
export async function live(bench: BenchContext): Promise<MeasuredFigure[]> {
  const rows: MeasuredFigure[] = [];
  for (const load of loads) {
    const runs = await eachRun(bench, (run) =>
      withLocalSystem(bench, (system) => underLoad(system, { ...load, seed: run })),
    );
    rows.push(...rowsOf(load, runs));
  }
  return rows;
}

async function underLoad(
  system: LocalSystem,
  { connections, batchSize, seed }: { connections: number; batchSize: number; seed: number },
): Promise<Seen> {
  await furnish(system, 'live', { pipeline: true });
  const job = {
    urls: [system.ingest.baseUrl],
    stream: 'live',
    ...{ connections, batchSize, seconds, seed, warmUpEvents: 10 * batchSize },
  };
  const { result, spent } = await spentIn(system, () => runClosedLoop(job));
  const lags = await lagsOf(system);
  return {
    eventsPerSecond: result.eventsPerSecond,
    lag: Math.max(...Object.values(lags)),
    caughtUp: await caughtUp(system, catchUpSeconds),
    lags,
    byProcess: spent,
  };
}

function rowsOf({ what, must, aim }: (typeof loads)[number], runs: readonly Seen[]): MeasuredFigure[] {
  const rates = runs.map(({ eventsPerSecond }) => eventsPerSecond);
  const behind = runs.map(({ lag }) => lag);
  return [
    {
      measure: 'P11',
      what: `everything on, ${what}, for ${seconds} s`,
      unit: 'events/s',
      runs: rates,
      must: goal(median(rates), { atLeast: must }),
      aim: goal(median(rates), { atLeast: aim }),
      details: { runs },
    },
    {
      measure: 'P11',
      what: `the same, greatest lag at the end`,
      unit: 's',
      runs: behind,
      must: goal(median(behind), { below: mostLag }, 's'),
    },
    {
      measure: 'P11',
      what: `the same, until there is no lag`,
      unit: 's',
      runs: runs.map((run) => run.caughtUp),
    },
  ];
}
