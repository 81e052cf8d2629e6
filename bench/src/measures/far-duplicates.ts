import { eachRun, withStack, type BenchContext } from '../bench.js';
import { type MeasuredFigure } from '../report.js';
import { drainOnce, fill, type DrainResult } from './p3-drain.js';

const defaultEvents = 500_000;
/** A small id window, so that most events leave it during the run. */
const records = '20000';

/**
 * FAR: a backlog of busy partitions is drained as in P3, alternately with and without the look-up of far duplicates. No
 * event is repeated: this is the cost for everybody.
 */
export async function farDuplicates(bench: BenchContext): Promise<MeasuredFigure[]> {
  const events = bench.options.events ?? defaultEvents;
  const drained = (minutes: string): Promise<DrainResult> =>
    withStack(bench, async (stack) => {
      const stream = 'backlog';
      await fill(stack, stream, events);
      const env = { DEDUPE_WINDOW_RECORDS: records, DEDUPE_FAR_MINUTES: minutes };
      return drainOnce(bench, stack, { stream, env });
    });
  const runs = await eachRun(bench, async (run) => {
    if (run % 2) return { off: await drained('0'), on: await drained('10') };
    const on = await drained('10');
    return { on, off: await drained('0') };
  });
  const of = (kind: 'on' | 'off', figure: (one: DrainResult) => number) =>
    runs.map((run) => figure(run[kind]));
  const throughput = ({ eventsPerSecond }: DrainResult): number => eventsPerSecond;
  const processor = ({ cpuSeconds }: DrainResult): number =>
    (Object.entries(cpuSeconds).find(([name]) => name.startsWith('materializer'))![1] * 1e6) / events;
  const baseline = 'with DEDUPE_FAR_MINUTES=0';
  return [
    {
      ...{
        measure: 'FAR',
        what: `draining a backlog of ${events}, far duplicates looked up`,
        unit: 'events/s',
      },
      runs: of('on', throughput),
      baseline: { what: baseline, runs: of('off', throughput) },
      details: { runs },
    },
    {
      ...{ measure: 'FAR', what: 'the same, processor time of the materializer', unit: 'µs/event' },
      runs: of('on', processor),
      baseline: { what: baseline, runs: of('off', processor) },
    },
  ];
}
