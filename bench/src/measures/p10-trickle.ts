import { setTimeout as sleep } from 'node:timers/promises';
import { eachRun, type BenchContext } from '../bench.js';
import { runPaced } from '../load/start.js';
import { withLocalSystem, type LocalSystem } from '../local-system.js';
import { goal, type MeasuredFigure } from '../report.js';
import { median, percentile } from '../statistics.js';
import { furnish, spentIn, totalOf, type CpuSecondsByProcess } from '../whole-system.js';

const stream = 'trickle';
const settleMs = 5_000;
const costSeconds = 30;
const probeSeconds = 20;
/**
 * The load before the first level. Without it, the just-in-time compilers of Node.js and Java take most of the processor
 * time at 10 events/s, because they compile what a running system has compiled long ago.
 */
const warmUp = [
  { eventsPerSecond: 2_000, seconds: 30 },
  { eventsPerSecond: 200, seconds: 30 },
];

/** Single events per second, and the limits in cores for all processes together. */
const levels = [
  { eventsPerSecond: 10, must: 0.2, aim: 0.1 },
  { eventsPerSecond: 200, must: 0.5, aim: 0.25 },
  { eventsPerSecond: 2_000, must: 1, aim: 0.7 },
];

interface Rate {
  eventsPerSecond: number;
  seed: number;
}

interface Seen {
  cores: number;
  /** The 95th percentile in milliseconds. */
  freshness: number;
  byProcess: CpuSecondsByProcess;
}

/**
 * P10: the cost of the whole system at a low rate, including the engines, as started by `npm start`, with one
 * projection. The processor time is measured without probes; then the freshness is measured with probes at the same
 * rate. The cost right after the start is a row of its own; a warm-up follows before the levels.
 */
export async function trickle(bench: BenchContext): Promise<MeasuredFigure[]> {
  return withLocalSystem(bench, async (system) => {
    await furnish(system, stream, { pipeline: false });
    const rows: MeasuredFigure[] = [await afterStart(system)];
    for (const { eventsPerSecond, seconds } of warmUp)
      await runPaced({ ...loadOf(system, { eventsPerSecond, seed: 0 }), probes: false, seconds });
    for (const { eventsPerSecond, must, aim } of levels) {
      const runs = await eachRun(bench, (run) => atRate(system, eventsPerSecond, run));
      const [cores, freshness] = [runs.map((run) => run.cores), runs.map((run) => run.freshness)];
      rows.push(
        {
          measure: 'P10',
          what: `all processes at ${eventsPerSecond} single events/s, processor time`,
          unit: 'cores',
          runs: cores,
          must: goal(median(cores), { below: must }, 'cores'),
          aim: goal(median(cores), { below: aim }, 'cores'),
          details: { byProcess: runs.map((run) => run.byProcess) },
        },
        {
          measure: 'P10',
          what: `acknowledged to queryable at ${eventsPerSecond} single events/s, p95`,
          unit: 'ms',
          runs: freshness,
          must: goal(median(freshness), { below: 1_000 }, 'ms'),
          aim: goal(median(freshness), { below: 500 }, 'ms'),
        },
      );
    }
    return rows;
  });
}

/** Returns the cost right after the start at the lowest rate, once for all runs. It has no goal. */
async function afterStart(system: LocalSystem): Promise<MeasuredFigure> {
  const { eventsPerSecond } = levels[0]!;
  const { cores, byProcess } = await costAtRate(system, { eventsPerSecond, seed: 0 });
  return {
    measure: 'P10',
    what: `the same at ${eventsPerSecond} single events/s right after the start`,
    unit: 'cores',
    runs: [cores],
    details: { byProcess: [byProcess] },
  };
}

async function atRate(system: LocalSystem, eventsPerSecond: number, seed: number): Promise<Seen> {
  const rate = { eventsPerSecond, seed };
  const cost = await costAtRate(system, rate);
  const { freshness } = await runPaced({ ...loadOf(system, rate), seconds: probeSeconds });
  return { ...cost, freshness: percentile(freshness, 0.95) };
}

async function costAtRate(system: LocalSystem, rate: Rate): Promise<Omit<Seen, 'freshness'>> {
  const load = { ...loadOf(system, rate), probes: false, seconds: costSeconds };
  await sleep(settleMs);
  const { spent } = await spentIn(system, () => runPaced(load));
  return { cores: totalOf(spent) / costSeconds, byProcess: spent };
}

function loadOf(system: LocalSystem, { eventsPerSecond, seed }: Rate) {
  return {
    writeUrl: system.ingest.baseUrl,
    readUrl: system.core.baseUrl,
    ...{ stream, eventsPerSecond, batchSize: 1, connections: 16, seed },
  };
}
