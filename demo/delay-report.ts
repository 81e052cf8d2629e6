import type { EventCountQuery, EventCountBucket, EventFilter } from '#client';
import { groupDigits } from './chart.js';
import {
  allStates,
  delayProjections,
  disagreements,
  keepProjection,
  type SqlFlightDelayCounts,
  type FlightDelayStats,
  type KeyedFlightDelayStats,
} from './delays.js';
import { lateAfterMinutes } from './flights.js';
import { ask, show, type ReportOptions } from './report.js';

const shown = 10;

/**
 * Maintains delay statistics by airport and by hour as projections, and compares them with statistics that ClickHouse
 * computes from the events. Resolves false if they differ.
 */
export async function delayReport(
  options: ReportOptions,
  { prefix, stream }: { prefix: string; stream: string },
): Promise<boolean> {
  const { client } = options;
  const { airports, hours } = delayProjections(prefix, stream);
  for (const projection of [airports, hours]) await keepProjection(client, projection);
  const query = { order_by: 'mean_delay', order: 'desc', limit: shown } as const;
  ask(options, 'The airports with the largest delays, from a projection, beside what ClickHouse counts', {
    path: `projections/${airports.name}/state`,
    query,
  });
  const worst = await client.projections.states<FlightDelayStats>(airports.name, query).first();
  const byAirport = await counted(options, stream, { query: { group_by: 'entity_id' }, keyOf: airportOf });
  show(options, [heading, ...worst.items.map((state) => line(state, byAirport.get(state.key)))]);
  const byHour = await counted(options, stream, { query: { interval: '1h' }, keyOf: hourOf });
  const agree = [
    says(options, { what: 'airports', states: await allStates(client, airports.name), counts: byAirport }),
    says(options, { what: 'hours of the day', states: await allStates(client, hours.name), counts: byHour }),
  ];
  return agree.every(Boolean);
}

const heading = 'airport  mean delay  worst  flights  late   ClickHouse: flights  late';

function line({ key, state }: KeyedFlightDelayStats, counted: SqlFlightDelayCounts | undefined): string {
  const { flights, late, mean_delay, worst_delay } = state;
  const columns: [string | number, number][] = [
    ...([
      [mean_delay.toFixed(1), 10],
      [worst_delay, 5],
      [flights, 7],
      [late, 4],
    ] as [string | number, number][]),
    ...([
      [counted?.flights ?? 0, 20],
      [counted?.late ?? 0, 4],
    ] as [string | number, number][]),
  ];
  return [key.padEnd(7), ...columns.map(([value, width]) => String(value).padStart(width))].join('  ');
}

/** Prints whether all keys agree, and returns it. */
function says(
  options: ReportOptions,
  {
    what,
    states,
    counts,
  }: { what: string; states: KeyedFlightDelayStats[]; counts: Map<string, SqlFlightDelayCounts> },
): boolean {
  const wrong = disagreements(states, counts);
  const verdict =
    wrong.length === 0
      ? `all ${groupDigits(states.length)} ${what} agree with ClickHouse's own counts`
      : `WRONG: ${wrong.length} ${what} differ, such as ${wrong.slice(0, 3).join(', ')}`;
  show(options, [verdict]);
  return wrong.length === 0;
}

/** Returns flights and late flights by key, counted by ClickHouse over the events. */
async function counted(
  { client }: ReportOptions,
  stream: string,
  { query, keyOf }: { query: EventCountQuery; keyOf: (bucket: EventCountBucket) => string },
): Promise<Map<string, SqlFlightDelayCounts>> {
  const counts = new Map<string, SqlFlightDelayCounts>();
  const add = async (member: keyof SqlFlightDelayCounts, more: EventFilter): Promise<void> => {
    const { buckets } = await client.count({ stream, ...query, ...more });
    for (const bucket of buckets) {
      const known = counts.get(keyOf(bucket)) ?? { flights: 0, late: 0 };
      counts.set(keyOf(bucket), { ...known, [member]: known[member] + bucket.count });
    }
  };
  await add('flights', {});
  await add('late', { where: `event.data.delay > ${lateAfterMinutes}` });
  return counts;
}

function airportOf({ group }: EventCountBucket): string {
  return group ?? '';
}

function hourOf({ start }: EventCountBucket): string {
  return String(Number((start ?? '').slice(11, 13)));
}
