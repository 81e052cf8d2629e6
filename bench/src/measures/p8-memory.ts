import type { TestSystem } from '#testkit';
import { createStream, observed, withStack, type BenchContext } from '../bench.js';
import { runClosedLoop } from '../load/start.js';
import { MemorySampler, type MemoryUsageSummary } from '../memory-sampler.js';
import { goal, type MeasuredFigure } from '../report.js';

/** The number of events of one load; loads repeat until the time is over. */
const eventsPerLoad = 300_000;
/** Memory counts as flat if the last third of the run uses at most this many times as much as the middle third. */
const flatWithin = 1.1;

/** P8: the memory of each process at the maximum load. */
export async function memory(bench: BenchContext): Promise<MeasuredFigure[]> {
  const seen = await withStack(bench, async (stack) => {
    await createStream(stack, 'soak');
    const sampler = new MemorySampler(() =>
      Object.fromEntries(stack.apps.filter((app) => app.running).map((app) => [app.name, app.pid])),
    );
    await observed(bench, stack, () => soak(stack, bench.options.soakSeconds));
    return sampler.stop();
  });
  return Object.entries(seen).map(([name, memorySeen]) => rowOf(bench, name, memorySeen));
}

async function soak(stack: TestSystem, seconds: number): Promise<void> {
  const until = Date.now() + seconds * 1000;
  for (let seed = 1; Date.now() < until; seed++) {
    await Promise.all([
      runClosedLoop({
        urls: [stack.urls.ingest],
        stream: 'soak',
        connections: 4,
        batchSize: 500,
        events: eventsPerLoad,
        warmUpEvents: 0,
        seed,
      }),
      stack.core.get('/api/v1/events/query?stream=soak&order=desc&limit=1000'),
    ]);
  }
}

function rowOf(bench: BenchContext, name: string, { max, middle, last }: MemoryUsageSummary): MeasuredFigure {
  const flat = last < middle * flatWithin;
  const must = goal(max, { below: 400 }, 'MB');
  return {
    measure: 'P8',
    what: `memory of ${name}, most in ${bench.options.soakSeconds} s under load (${flat ? 'flat' : 'growing'})`,
    unit: 'MB',
    runs: [max],
    must: { text: `${must.text}, flat`, reached: must.reached && flat },
    aim: goal(max, { below: 250 }, 'MB'),
    details: { middle, last },
  };
}
