import { setTimeout as sleep } from 'node:timers/promises';
import { eachRun, type BenchContext } from '../bench.js';
import { runPaced } from '../load/start.js';
import { withLocalSystem, type LocalSystem } from '../local-system.js';
import { goal, type MeasuredFigure } from '../report.js';
import { median, percentile } from '../statistics.js';
import { furnish, spentIn, totalOf, type CpuSecondsByProcess } from '../whole-system.js';

const stream = 'trickle';
const settleMs = 10_000;
const costSeconds = 60;
const probeSeconds = 30;

/** Single events per second, and the limits in cores for all processes together. */
const levels = [
  { eventsPerSecond: 10, must: 0.2, aim: 0.1 },
  { eventsPerSecond: 200, must: 0.5, aim: 0.25 },
  { eventsPerSecond: 2_000, must: 1, aim: 0.7 },
];

interface Seen {
  cores: number;
  /** The 95th percentile in milliseconds. */
  freshness: number;
  byProcess: CpuSecondsByProcess;
}

/**
 * P10: the cost of the whole system at a low rate, including the engines, as started by `npm start`, with one
 * projection. The processor time is measured without probes; then the freshness is measured with probes at the same
 * rate.
 */
export async function trickle(bench: BenchContext): Promise<MeasuredFigure[]> {
  return withLocalSystem(bench, async (system) => {
    await furnish(system, stream, { pipeline: false });
    const rows: MeasuredFigure[] = [];
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

async function atRate(system: LocalSystem, eventsPerSecond: number, seed: number): Promise<Seen> {
  const load = {
    writeUrl: system.ingest.baseUrl,
    readUrl: system.core.baseUrl,
    ...{ stream, eventsPerSecond, batchSize: 1, connections: 16, seed },
  };
  await sleep(settleMs);
  const { spent } = await spentIn(system, () => runPaced({ ...load, probes: false, seconds: costSeconds }));
  const { freshness } = await runPaced({ ...load, seconds: probeSeconds });
  return {
    cores: totalOf(spent) / costSeconds,
    freshness: percentile(freshness, 0.95),
    byProcess: spent,
  };
}
