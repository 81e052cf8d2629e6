import { createStream, eachRun, withStack, type BenchContext } from '../bench.js';
import { runPaced } from '../load/start.js';
import { goal, type MeasuredFigure } from '../report.js';
import { median, percentile } from '../statistics.js';

const eventsPerSecond = 5_000;
const seconds = 30;

/** P4: the time from the acknowledgement of an event until a query returns it, while 5 000 events/s are written. */
export async function freshness(bench: BenchContext): Promise<MeasuredFigure[]> {
  const runs = await withStack(bench, async (stack) => {
    await createStream(stack, 'fresh');
    const load = {
      writeUrl: stack.urls.ingest,
      readUrl: stack.urls.core,
      stream: 'fresh',
      eventsPerSecond,
    };
    await runPaced({ ...load, seconds: 10, seed: 0 });
    return eachRun(bench, (run) => runPaced({ ...load, seconds, seed: run }));
  });
  const half = runs.map((run) => percentile(run.freshness, 0.5));
  const most = runs.map((run) => percentile(run.freshness, 0.95));
  const what = `acknowledged to queryable, at ${Math.round(median(runs.map((run) => run.eventsPerSecond)))} events/s`;
  return [
    {
      measure: 'P4',
      what: `${what}, p50`,
      unit: 'ms',
      runs: half,
      must: goal(median(half), { below: 250 }, 'ms'),
      details: { probes: runs.map((run) => run.freshness.length), sent: runs.map((run) => run.sent) },
    },
    {
      measure: 'P4',
      what: `${what}, p95`,
      unit: 'ms',
      runs: most,
      must: goal(median(most), { below: 600 }, 'ms'),
      aim: goal(median(most), { below: 250 }, 'ms'),
    },
  ];
}
