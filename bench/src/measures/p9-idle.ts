import { setTimeout as sleep } from 'node:timers/promises';
import { createStream, eachRun, withStack, type BenchContext } from '../bench.js';
import { usageOf } from '../process-usage.js';
import { goal, type MeasuredFigure } from '../report.js';
import { median } from '../statistics.js';

const settleMs = 5_000;
const windowMs = 30_000;

/**
 * P9: the idle processor time of all apps together, in percent of one core; and the memory of all processes,
 * including the embedded engines.
 */
export async function idle(bench: BenchContext): Promise<MeasuredFigure[]> {
  const runs = await withStack(bench, async (stack) => {
    await createStream(stack, 'quiet');
    await sleep(settleMs);
    const names = stack.apps.map((app) => app.name);
    const pids = {
      ...Object.fromEntries(stack.apps.map((app) => [app.name, app.pid])),
      ...bench.engines.pids,
    };
    return eachRun(bench, async () => {
      const before = stack.apps.map((app) => usageOf(app.pid).cpuSeconds);
      await sleep(windowMs);
      const used = stack.apps.map((app, index) => usageOf(app.pid).cpuSeconds - before[index]!);
      const percent = used.map((seconds) => (seconds * 100_000) / windowMs);
      return {
        processor: Object.fromEntries(names.map((name, index) => [name, percent[index]!])),
        memory: Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, usageOf(pid).rss / 1e6])),
      };
    });
  });
  const totals = runs.map(({ processor }) => sumOf(processor));
  const megabytes = runs.map(({ memory }) => sumOf(memory));
  return [
    {
      measure: 'P9',
      what: 'idle processor time of all Node processes',
      unit: '% of a core',
      runs: totals,
      must: goal(median(totals), { below: 5 }, '%'),
      aim: goal(median(totals), { below: 2 }, '%'),
      details: { byProcess: runs.map(({ processor }) => processor) },
    },
    {
      measure: 'P9',
      what: `idle memory of ${Object.keys(runs[0]?.memory ?? {}).join(', ')} together`,
      unit: 'MB',
      runs: megabytes,
      must: goal(median(megabytes), { below: 1600 }, 'MB'),
      details: { byProcess: runs.map(({ memory }) => memory) },
    },
  ];
}

function sumOf(values: Record<string, number>): number {
  return Object.values(values).reduce((sum, value) => sum + value, 0);
}
