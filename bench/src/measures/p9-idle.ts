import { setTimeout as sleep } from 'node:timers/promises';
import { createStream, eachRun, withStack, type Bench } from '../bench.js';
import { usageOf } from '../process-usage.js';
import { goal, type Row } from '../report.js';
import { median } from '../statistics.js';

const settleMs = 5_000;
const windowMs = 30_000;

/** P9: processor time of all our processes together while nothing happens, in percent of one core. */
export async function idle(bench: Bench): Promise<Row[]> {
  const runs = await withStack(bench, async (stack) => {
    await createStream(stack, 'quiet');
    await sleep(settleMs);
    const names = stack.apps.map((app) => app.name);
    return eachRun(bench, async () => {
      const before = stack.apps.map((app) => usageOf(app.pid).cpuSeconds);
      await sleep(windowMs);
      const used = stack.apps.map((app, index) => usageOf(app.pid).cpuSeconds - before[index]!);
      const percent = used.map((seconds) => (seconds * 100_000) / windowMs);
      return Object.fromEntries(names.map((name, index) => [name, percent[index]!]));
    });
  });
  const totals = runs.map((run) => Object.values(run).reduce((sum, value) => sum + value, 0));
  return [
    {
      measure: 'P9',
      what: 'idle processor time of all Node processes',
      unit: '% of a core',
      runs: totals,
      must: goal(median(totals), { below: 5 }, '%'),
      aim: goal(median(totals), { below: 2 }, '%'),
      details: { byProcess: runs },
    },
  ];
}
