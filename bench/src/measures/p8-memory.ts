import type { TestSystem } from '#testkit';
import { observed, withStack, type BenchContext } from '../bench.js';
import { runClosedLoop } from '../load/start.js';
import { MemorySampler, type MemoryUsageSummary } from '../memory-sampler.js';
import { goal, type MeasuredFigure } from '../report.js';
import { furnish } from '../whole-system.js';

/** The number of events of one load; loads repeat until the time is over. */
const eventsPerLoad = 300_000;
/** Memory counts as flat if the last third of the run uses at most this many times as much as the middle third. */
const flatWithin = 1.1;

/** P8: the memory of each process at the maximum load, with a projection and a pipeline, by threads of the processor. */
export async function memory(bench: BenchContext): Promise<MeasuredFigure[]> {
  const rows: MeasuredFigure[] = [];
  for (const threads of [1, 2]) {
    const env = { PROCESSOR_THREADS: String(threads) };
    const seen = await withStack(bench, (stack) => memoryIn(bench, stack), { processors: 1, env });
    const known = Object.entries(seen).filter(([name]) => threads === 1 || name.startsWith('processor'));
    rows.push(...known.map(([name, one]) => rowOf(bench, `${name}${suffixOf(name, threads)}`, one)));
  }
  return rows;
}

function suffixOf(name: string, threads: number): string {
  return name.startsWith('processor') ? `, ${threads === 1 ? 'one thread' : `up to ${threads} threads`}` : '';
}

async function memoryIn(bench: BenchContext, stack: TestSystem): Promise<Record<string, MemoryUsageSummary>> {
  await furnish(stack, 'soak', { pipeline: true });
  const sampler = new MemorySampler(() =>
    Object.fromEntries(stack.apps.filter((app) => app.running).map((app) => [app.name, app.pid])),
  );
  await observed(bench, stack, () => soak(stack, bench.options.soakSeconds));
  return sampler.stop();
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
  const must = goal(max, { below: 300 }, 'MB');
  return {
    measure: 'P8',
    what: `memory of ${name}, most in ${bench.options.soakSeconds} s under load (${flat ? 'flat' : 'growing'})`,
    unit: 'MB',
    runs: [max],
    must: { text: `${must.text}, flat`, reached: must.reached && flat },
    details: { middle, last },
  };
}
