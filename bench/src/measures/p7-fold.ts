import { eachRun, withStack, type BenchContext } from '../bench.js';
import {
  byEntity,
  fillStream,
  foldBacklog,
  rateBetween,
  remove,
  type ProjectionRequestBody,
} from '../projections.js';
import { goal, type MeasuredFigure } from '../report.js';
import { median } from '../statistics.js';

const defaultEvents = 1_000_000;
const stream = 'backlog';

/** The projections: one with a key of 5 000 values, and one with few values and a condition. */
const definitions: { what: string; definition: ProjectionRequestBody }[] = [
  { what: 'key of 5 000 values; count, sum, max', definition: byEntity('by_entity', stream) },
  {
    what: 'the same with a history of 30 days',
    definition: { ...byEntity('with_history', stream), history: '30d' },
  },
  {
    what: '`where`, key of 6 values; count, sum, max',
    definition: {
      ...byEntity('by_country', stream),
      source: {
        streams: [stream],
        where: "event.data.amount > 100.0 && event.data.currency in ['EUR', 'USD', 'GBP']",
      },
      key: 'event.data.customer.country',
    },
  },
];

/**
 * P7, projections: a backlog is written while the processor is stopped; then it starts. As in P3, the rate is
 * measured between the first observed commit and the last. Each run has a process and a generation of its own, over
 * the same backlog.
 */
export async function fold(bench: BenchContext): Promise<MeasuredFigure[]> {
  const events = bench.options.events ?? defaultEvents;
  return withStack(
    bench,
    async (stack) => {
      await fillStream(stack, stream, { events });
      const rows: MeasuredFigure[] = [];
      for (const { what, definition } of definitions) {
        const runs = await eachRun(bench, async () => {
          const { first, marks, cpuSeconds } = await foldBacklog(bench, stack, {
            ...{ definition, marks: [events] },
          });
          await remove(stack, definition.name);
          return { eventsPerSecond: rateBetween(first, marks[0]!), cpuSeconds };
        });
        const rates = runs.map(({ eventsPerSecond }) => eventsPerSecond);
        rows.push({
          measure: 'P7',
          what: `a projection over a backlog of ${events}: ${what}`,
          unit: 'events/s',
          runs: rates,
          ...(definition.history === undefined && {
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
