import { createStream, eachRun, type BenchContext } from '../bench.js';
import { runClosedLoop } from '../load/start.js';
import { withLocalSystem, type LocalSystem } from '../local-system.js';
import { goal, type MeasuredFigure } from '../report.js';
import { median } from '../statistics.js';
import { caughtUp, spentIn, type CpuSecondsByProcess } from '../whole-system.js';

/** 5 000 entities with 60 events each, and a snapshot every 20. */
const defaultEvents = 300_000;
const often = 20;
/** More versions than an entity has, so no snapshot is taken. */
const never = 1_000_000;
const catchUpSeconds = 900;

/**
 * P12: the cost of snapshots. The same events are written alternately to a stream with snapshots and to one without.
 * The processor time of the materializer, the processor and ClickHouse is measured until there is no lag.
 */
export async function snapshots(bench: BenchContext): Promise<MeasuredFigure[]> {
  const events = bench.options.events ?? defaultEvents;
  const runs = await eachRun(bench, (run) =>
    withLocalSystem(bench, async (system) => ({
      without: await cost(system, { stream: `without-${run}`, events, snapshot_every: never }),
      with: await cost(system, { stream: `with-${run}`, events, snapshot_every: often }),
    })),
  );
  const more = runs.map((run) => ((run.with.seconds - run.without.seconds) / run.without.seconds) * 100);
  const late = runs.map((run) => run.with.caughtUp);
  return [
    {
      measure: 'P12',
      what: `snapshots of ${events} events, every ${often}: processor time of materializer, processor and ClickHouse above that without`,
      unit: '%',
      runs: more,
      must: goal(median(more), { below: 10 }, '%'),
      details: { runs },
    },
    {
      measure: 'P12',
      what: 'the same: from the last acknowledgement until all snapshots are taken',
      unit: 's',
      runs: late,
      must: goal(median(late), { below: 10 }, 's'),
    },
  ];
}

async function cost(
  system: LocalSystem,
  { stream, events, snapshot_every }: { stream: string; events: number; snapshot_every: number },
): Promise<{ seconds: number; caughtUp: number; byProcess: CpuSecondsByProcess }> {
  await createStream(system, stream, { snapshot_every });
  const { result, spent } = await spentIn(system, async () => {
    await runClosedLoop({
      urls: [system.ingest.baseUrl],
      ...{ stream, connections: 4, batchSize: 500, events, warmUpEvents: 0, seed: 12 },
    });
    return caughtUp(system, catchUpSeconds);
  });
  const seconds = spent.materializer + spent.processor + spent.clickhouse;
  return { seconds, caughtUp: result, byProcess: spent };
}
