import type {
  EventCountQuery,
  EventCount,
  EventCountBucket,
  EventQuery,
  StoredEvent,
  Tributary,
} from '#client';
import { barChart, groupDigits, type Bar } from './chart.js';
import { lateAfterMinutes } from './flights.js';

/** Client, streams and addresses with which the demo queries the loaded data. */
export interface ReportOptions {
  client: Tributary;
  queryUrl: string;
  apiKeyFile: string;
  streams: { earthquakes: string; flights: string };
  write: (line: string) => void;
}

/** A query to the API: its path after `/api/v1/`, and its parameters. */
interface ApiQuery {
  path: string;
  query: object;
}

const chartWidth = 40;

/** Queries the loaded data, and shows each query as a curl command. */
export async function report(options: ReportOptions): Promise<void> {
  await strongestEarthquakes(options);
  await earthquakesByNetwork(options);
  await earthquakesPerDay(options);
  await delaysByHour(options);
  await lastFlightsOfARoute(options);
}

async function strongestEarthquakes(options: ReportOptions): Promise<void> {
  const found = await events(options, 'The strong earthquakes, newest first', {
    stream: options.streams.earthquakes,
    where: 'event.data.magnitude >= 5.5',
    order: 'desc',
    limit: 5,
  });
  const lines = found.map(({ timestamp, data }) =>
    [timestamp.slice(0, 19), Number(data.magnitude).toFixed(1), data.place as string].join('  '),
  );
  show(options, lines);
}

async function earthquakesByNetwork(options: ReportOptions): Promise<void> {
  const { buckets } = await counts(options, 'Earthquakes by the network that reported them', {
    stream: options.streams.earthquakes,
    group_by: 'entity_id',
  });
  const bars = buckets.map(({ group, count }) => ({ label: group ?? '(none)', value: count }));
  draw(
    options,
    bars.sort((a, b) => b.value - a.value),
  );
}

async function earthquakesPerDay(options: ReportOptions): Promise<void> {
  const { buckets } = await counts(options, 'Earthquakes per day', {
    stream: options.streams.earthquakes,
    interval: '1d',
  });
  draw(
    options,
    buckets.map(({ start, count }) => ({ label: (start ?? '').slice(0, 10), value: count })),
  );
}

async function delaysByHour(options: ReportOptions): Promise<void> {
  const { flights: stream } = options.streams;
  const all = await counts(options, 'Flights by hour of the day', {
    stream,
    interval: '1h',
  });
  const late = await counts(options, 'Of these, late on arrival', {
    stream,
    interval: '1h',
    where: `event.data.delay > ${lateAfterMinutes}`,
  });
  draw(options, sharesByHour(all.buckets, late.buckets));
}

/** Returns the fraction of late flights for each hour, as bars. */
export function sharesByHour(all: readonly EventCountBucket[], late: readonly EventCountBucket[]): Bar[] {
  const lateByStart = new Map(late.map(({ start, count }) => [start, count]));
  return all.map(({ start, count }) => {
    const lateCount = lateByStart.get(start) ?? 0;
    const share = count === 0 ? 0 : lateCount / count;
    const text = `${Math.round(share * 100)} % of ${groupDigits(count)}`;
    return { label: `${(start ?? '').slice(11, 13)} h`, value: share, text };
  });
}

async function lastFlightsOfARoute(options: ReportOptions): Promise<void> {
  const found = await events(options, 'The last flights of one route', {
    stream: options.streams.flights,
    entity_id: 'route-1452mi',
    order: 'desc',
    limit: 3,
  });
  const lines = found.map(({ timestamp, event_type, data }) =>
    [timestamp.slice(11, 16), event_type, JSON.stringify(data)].join('  '),
  );
  show(options, lines);
}

async function events(options: ReportOptions, title: string, query: EventQuery): Promise<StoredEvent[]> {
  ask(options, title, { path: 'events/query', query });
  return (await options.client.events(query).first()).items;
}

function counts(options: ReportOptions, title: string, query: EventCountQuery): Promise<EventCount> {
  ask(options, title, { path: 'events/count', query });
  return options.client.count(query);
}

/** Prints a query as a curl command. */
export function ask(options: ReportOptions, title: string, { path, query }: ApiQuery): void {
  options.write(`\n${title}`);
  for (const line of curlOf(options, path, query)) options.write(`  ${line}`);
}

/** Returns a query as a curl command to paste. */
export function curlOf(
  options: { queryUrl: string; apiKeyFile: string },
  path: string,
  query: object,
): string[] {
  const parameters = Object.entries(query).map(([name, value]) => `--data-urlencode '${name}=${value}'`);
  return [
    `curl -G ${options.queryUrl}/api/v1/${path} -H "Authorization: Bearer $(cat ${options.apiKeyFile})" \\`,
    `  ${parameters.join(' ')}`,
  ];
}

function draw(options: ReportOptions, bars: readonly Bar[]): void {
  show(options, barChart(bars, chartWidth));
}

export function show(options: Pick<ReportOptions, 'write'>, lines: readonly string[]): void {
  options.write('');
  for (const line of lines) options.write(`  ${line}`);
}
