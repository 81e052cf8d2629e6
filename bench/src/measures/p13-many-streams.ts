import { setTimeout as sleep } from 'node:timers/promises';
import { eachRun, type BenchContext } from '../bench.js';
import { processNames, withLocalSystem, type LocalSystem } from '../local-system.js';
import { usageOf } from '../process-usage.js';
import { goal, type MeasuredFigure } from '../report.js';
import { median } from '../statistics.js';
import { spentIn, writeFirstEvents } from '../whole-system.js';

const streamCount = 1_000;
const settleMs = 10_000;
const idleMs = 30_000;

interface Seen {
  /** Seconds from the first write until the last stream's event can be queried. */
  seconds: number;
  /**
   * While idle: the processor time of the Node processes in percent of a core, and the memory of the largest of them
   * in MB.
   */
  idle: number;
  memory: number;
}

/** P13: a thousand streams created at once by their first events, and their idle cost. */
export async function manyStreams(bench: BenchContext): Promise<MeasuredFigure[]> {
  const runs = await eachRun(bench, () => withLocalSystem(bench, made));
  const bounded = (row: Pick<MeasuredFigure, 'what' | 'unit' | 'runs'>, below: number): MeasuredFigure => ({
    ...{ measure: 'P13', ...row },
    must: goal(median(row.runs), { below }, row.unit),
  });
  const [seconds, idle, memory] = [
    runs.map((run) => run.seconds),
    runs.map((run) => run.idle),
    runs.map((run) => run.memory),
  ];
  return [
    {
      ...bounded(
        {
          what: `${streamCount} new streams: until the last one's event can be queried`,
          unit: 's',
          runs: seconds,
        },
        15,
      ),
      aim: goal(median(seconds), { below: 5 }, 's'),
    },
    bounded(
      { what: 'the same: idle processor time of all Node processes', unit: '% of a core', runs: idle },
      4,
    ),
    bounded({ what: 'the same: memory of the largest Node process', unit: 'MB', runs: memory }, 500),
  ];
}

async function made(system: LocalSystem): Promise<Seen> {
  const since = performance.now();
  const names = Array.from({ length: streamCount }, (_, index) => `many-${index}`);
  await writeFirstEvents(system, names);
  const seconds = (performance.now() - since) / 1000;
  await sleep(settleMs);
  const { spent } = await spentIn(system, () => sleep(idleMs));
  const apps = processNames.filter((name) => name !== 'clickhouse' && name !== 'kafka');
  const used = apps.reduce((sum, name) => sum + spent[name], 0);
  return {
    seconds,
    idle: (used * 100_000) / idleMs,
    memory: Math.max(...apps.map((name) => usageOf(system.pidOf(name)).rss / 1e6)),
  };
}
