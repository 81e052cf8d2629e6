import { idOf } from '#testkit';
import { createStream, withStack, type BenchContext } from '../bench.js';
import { PlainClickHouseClient } from '../clickhouse.js';
import { madeFrom, makeEvents } from '../pages/dataset.js';
import { longEntity, makeLongEntity } from '../pages/long-entity.js';
import { timeRuns } from '../pages/time-runs.js';
import { goal, type MeasuredFigure } from '../report.js';
import { median, percentile } from '../statistics.js';
import { randomFrom } from '../workload.js';

const defaultEvents = 100_000;
/** The default interval of the processor's snapshots. */
const snapshotEvery = 100;
/** The number of events after the last snapshot. */
const afterLast = snapshotEvery / 2;
const otherEvents = 1_000_000;
/** Ids of streams that are not queried. */
const others = ['pages-0#made', 'pages-1#made', 'pages-2#made', 'pages-3#made', 'pages-4#made'];
const readsPerRun = 200;

/** STATE: the state of an entity with a long history, now and as of random times, among a million other events. */
export async function entityState(bench: BenchContext): Promise<MeasuredFigure[]> {
  const events = (bench.options.events ?? defaultEvents) + afterLast;
  return withStack(bench, async (stack) => {
    const clickhouse = new PlainClickHouseClient(bench.engines, stack.database);
    await createStream(stack, longEntity.stream);
    await makeEvents(clickhouse, { streams: others, from: 0, until: otherEvents });
    const stream = await idOf(stack, longEntity.stream);
    await makeLongEntity(clickhouse, { stream, events, every: snapshotEvery });
    await clickhouse.settled();
    const path = `/api/v1/entities/${longEntity.entityId}/state?stream=${longEntity.stream}`;
    const [now, then] = await timeRuns(bench, stack, [
      runsOf(bench, () => path),
      runsOf(bench, (random) => {
        const at = new Date(madeFrom + random() * events * longEntity.everyMs);
        return `${path}&as_of=${at.toISOString()}`;
      }),
    ]);
    return [
      { what: `state of an entity of ${events} events, now`, times: now! },
      { what: 'the same, as of a random time', times: then! },
    ].flatMap(({ what, times }) =>
      [0.5, 0.99].map((share) => {
        const runs = times.map(({ system }) => percentile(system, share));
        return {
          ...{ measure: 'STATE', what: `${what}, p${share * 100}`, unit: 'ms', runs },
          baseline: {
            what: 'its queries sent directly, one after the other',
            runs: times.map(({ direct }) => percentile(direct, share)),
          },
          must: goal(median(runs), { below: 50 }, 'ms'),
        };
      }),
    );
  });
}

function runsOf(bench: BenchContext, pathOf: (random: () => number) => string): string[][] {
  return Array.from({ length: bench.options.runs }, (_, run) => {
    const random = randomFrom(run + 1);
    return Array.from({ length: readsPerRun }, () => pathOf(random));
  });
}
