import { eachRun, withStack, type BenchContext } from '../bench.js';
import { drain, type BacklogPipeline } from '../pipelines.js';
import { fillStream, rateBetween } from '../projections.js';
import { figure, goal, type MeasuredFigure } from '../report.js';
import { median } from '../statistics.js';

const defaultEvents = 1_000_000;
const stream = 'backlog';

/** Nine of ten events have at least this amount. */
const least = 100;
const before = [
  { filter: `event.data.amount >= ${least}.0` },
  {
    map: {
      data: {
        amount: 'event.data.amount',
        country: 'event.data.customer.country',
        currency: 'event.data.currency',
        sku: 'event.data.items[0].sku',
      },
    },
  },
];
const perSecond = (key: string) => [
  ...before,
  { window: { tumbling: '1s', key, lateness: '1s' } },
  { reduce: { orders: { op: 'count' }, total: { op: 'sum', value: 'event.data.amount' } } },
];

const joinWithItself = {
  join: {
    ...{ with: { streams: [stream], where: `event.data.amount >= ${least}.0` }, within: { after: '0s' } },
    // The events of a partition are out of order by some milliseconds.
    lateness: '1s',
    ...{ left: 'event.event_id', right: 'event.event_id', as: 'other' },
  },
};

const jobs: (Omit<BacklogPipeline, 'stream' | 'least'> & { what: string; isOfGoal: boolean })[] = [
  { what: 'filter → map → emit', isOfGoal: false, name: 'plain', operators: before, stages: 0 },
  {
    what: 'filter → map → window of 1 s by entity → reduce → emit',
    ...{ isOfGoal: true, name: 'by_entity', operators: perSecond('event.entity_id'), stages: 1 },
  },
  {
    what: 'the same window by country, which is not the partitioning key, 6 values',
    ...{ isOfGoal: true, name: 'by_country', operators: perSecond('event.data.country'), stages: 1 },
  },
  {
    what: 'filter → map → join of each event with itself (two records for each event) → emit',
    ...{ isOfGoal: false, name: 'joined', operators: [...before, joinWithItself], stages: 1 },
  },
];

/**
 * P7, pipelines: a backlog is written while the processor is stopped; then it starts. The rate is measured from the
 * first observed commit in the source. The measurement ends at the commit after which the source and all events
 * forwarded to the window have been read. At the end, the measure compares the emitted events with the written ones:
 * one lost or duplicated event fails the measure. Each run has a process and a job of its own, over the same backlog.
 */
export async function pipeline(bench: BenchContext): Promise<MeasuredFigure[]> {
  const events = bench.options.events ?? defaultEvents;
  return withStack(
    bench,
    async (stack) => {
      await fillStream(stack, stream, { events });
      const rows: MeasuredFigure[] = [];
      for (const { what, isOfGoal, ...job } of jobs) {
        const runs = await eachRun(bench, async () => {
          const { first, last, ...seen } = await drain(bench, stack, {
            job: { ...job, stream, least },
            events,
          });
          const eventsPerSecond = rateBetween(first, last);
          bench.say(
            `${figure(eventsPerSecond)} events/s, ${seen.results} results; ${figure(seen.memory)} MB`,
          );
          return { eventsPerSecond, ...seen };
        });
        const rates = runs.map(({ eventsPerSecond }) => eventsPerSecond);
        rows.push({
          ...{ measure: 'P7', what: `a backlog of ${events}: ${what}`, unit: 'events/s', runs: rates },
          ...(isOfGoal && {
            must: goal(median(rates), { atLeast: 40_000 }),
            aim: goal(median(rates), { atLeast: 100_000 }),
          }),
          details: { runs },
        });
      }
      return rows;
    },
    { processors: 1 },
  );
}
