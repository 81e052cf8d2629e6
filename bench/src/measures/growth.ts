import { setTimeout as sleep } from 'node:timers/promises';
import { until, type TestSystem } from '#testkit';
import { createStream, withStack, type BenchContext } from '../bench.js';
import { PlainClickHouseClient } from '../clickhouse.js';
import { runClosedLoop, runPaced } from '../load/start.js';
import { processNames, withLocalSystem, type LocalSystem } from '../local-system.js';
import { createPageStreams, makeEvents } from '../pages/dataset.js';
import { pageKinds, pagePaths } from '../pages/queries.js';
import { pageRequest, timeRequests } from '../pages/time-pages.js';
import { usageOf } from '../process-usage.js';
import { byEntity, define } from '../projections.js';
import { figure, type MeasuredFigure } from '../report.js';
import { median } from '../statistics.js';
import { caughtUp, spentIn, totalOf, writeFirstEvents } from '../whole-system.js';

const stream = 'growing';
/** Events of one INSERT: ClickHouse answers when it is done, and the request has a time limit. */
const mostMade = 5_000_000;
const pageCount = 200;
const writtenEvents = 100_000;
const paced = { eventsPerSecond: 200, seconds: 20 };
const idleSeconds = 20;
const settleMs = 10_000;
const catchUpSeconds = 600;

/** What is measured at each size: values by the name of the figure, which ends with its unit in brackets. */
type FiguresAtSize = Record<string, number>;

/**
 * GROWTH: the cost of the same work at sizes that differ by a factor of ten or more: stored events (generated inside
 * ClickHouse), streams, and projections of one stream. Each figure is compared with that of the size before.
 */
export async function growth(bench: BenchContext): Promise<MeasuredFigure[]> {
  const most = bench.options.pageEvents;
  return [
    ...(await withStored(bench, [most / 100, most / 10, most])),
    ...(await withParts(bench, 'streams', [10, 1_000])),
    ...(await withParts(bench, 'projections', [10, 100])),
  ];
}

async function withStored(bench: BenchContext, sizes: readonly number[]): Promise<MeasuredFigure[]> {
  return withStack(bench, async (stack) => {
    const clickhouse = new PlainClickHouseClient(bench.engines, stack.database);
    const { made: streams } = await createPageStreams(stack);
    await createStream(stack, stream);
    const found: FiguresAtSize[] = [];
    for (const [index, size] of sizes.entries()) {
      bench.say(`${figure(size)} stored events`);
      for (let from = sizes[index - 1] ?? 0; from < size; from += mostMade)
        await makeEvents(clickhouse, { streams, from, until: Math.min(size, from + mostMade) });
      await clickhouse.settled();
      found.push(await atStored(bench, stack, { size, seed: index + 1 }));
    }
    return rowsOf('stored events', sizes, found);
  });
}

async function atStored(
  bench: BenchContext,
  stack: TestSystem,
  { size, seed }: { size: number; seed: number },
): Promise<FiguresAtSize> {
  const found: FiguresAtSize = {};
  const clickhouse = new PlainClickHouseClient(bench.engines, stack.database);
  for (const kind of pageKinds) {
    const paths = pagePaths(kind, { made: size, flights: 0 }, { count: pageCount, seed });
    found[`page of 100 by ${kind}, p50 (ms)`] = await pageTime(stack.urls.query, paths, stack.key);
  }
  const counts = Array.from({ length: 20 }, (_, index) => `/api/v1/events/count?stream=pages-${index % 5}`);
  found['number of events of a stream, p50 (ms)'] = await pageTime(stack.urls.query, counts, stack.key);
  const pids = [...stack.apps.map(({ pid }) => pid), bench.engines.pids.clickhouse].filter(isKnown);
  const seconds = () => pids.reduce((sum, pid) => sum + usageOf(pid).cpuSeconds, 0);
  const before = seconds();
  await runClosedLoop(writing(stack.urls.ingest, seed));
  const written = async () =>
    (await stack.core.get(`/api/v1/events/count?stream=${stream}`)).text.includes(`${seed * writtenEvents}`);
  await until(written, { what: 'the written events', intervalMs: 500 });
  found['writing and storing an event, all apps and ClickHouse (µs)'] =
    ((seconds() - before) * 1e6) / writtenEvents;
  const { clickhouse: pid } = bench.engines.pids;
  if (pid !== undefined) found['memory of ClickHouse (MB)'] = usageOf(pid).rss / 1e6;
  const bytes = await clickhouse.number(
    'SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = currentDatabase()',
  );
  found['stored bytes of an event (B)'] = bytes / (size + seed * writtenEvents);
  return found;
}

async function withParts(
  bench: BenchContext,
  kind: 'streams' | 'projections',
  sizes: readonly number[],
): Promise<MeasuredFigure[]> {
  const found: FiguresAtSize[] = [];
  for (const size of sizes) {
    bench.say(`${size} ${kind}`);
    found.push(await withLocalSystem(bench, (system) => atParts(system, kind, size)));
  }
  return rowsOf(kind, sizes, found);
}

async function atParts(
  system: LocalSystem,
  kind: 'streams' | 'projections',
  size: number,
): Promise<FiguresAtSize> {
  await createStream(system, stream);
  const names = Array.from({ length: size }, (_, index) => `part_${index}`);
  if (kind === 'streams') await writeFirstEvents(system, names);
  else for (const name of names) await define(system, byEntity(name, stream));
  await runClosedLoop(writing(system.ingest.baseUrl, 1));
  await caughtUp(system, catchUpSeconds);
  await sleep(settleMs);
  const idle = await spentIn(system, () => sleep(idleSeconds * 1_000));
  const trickle = await spentIn(system, () =>
    runPaced({
      ...{ writeUrl: system.ingest.baseUrl, readUrl: system.core.baseUrl, stream, seed: 2 },
      ...{ ...paced, batchSize: 1, connections: 16, probes: false },
    }),
  );
  const batches = await spentIn(system, async () => {
    await runClosedLoop(writing(system.ingest.baseUrl, 3));
    await caughtUp(system, catchUpSeconds);
  });
  const page = Array.from({ length: pageCount }, () => `/api/v1/events/query?stream=${stream}&limit=100`);
  const memory = processNames.map((name) => usageOf(system.pidOf(name)).rss / 1e6);
  return {
    'idle, all processes (% of a core)': (totalOf(idle.spent) * 100) / idleSeconds,
    [`${paced.eventsPerSecond} single events/s, all processes (% of a core)`]:
      (totalOf(trickle.spent) * 100) / paced.seconds,
    'an event in a batch until there is no lag, all processes (µs)':
      (totalOf(batches.spent) * 1e6) / writtenEvents,
    'page of 100 by stream, p50 (ms)': await pageTime(system.core.baseUrl, page, ''),
    'memory of all processes (MB)': memory.reduce((sum, one) => sum + one, 0),
  };
}

function writing(url: string, seed: number) {
  return {
    urls: [url],
    ...{ stream, connections: 4, batchSize: 500, events: writtenEvents, warmUpEvents: 0, seed },
  };
}

async function pageTime(url: string, paths: readonly string[], key: string): Promise<number> {
  const requests = paths.map((path) => pageRequest(url, path, key));
  await timeRequests(url, requests.slice(0, pageCount / 10));
  return median(await timeRequests(url, requests));
}

function isKnown(pid: number | undefined): pid is number {
  return pid !== undefined;
}

function rowsOf(kind: string, sizes: readonly number[], found: readonly FiguresAtSize[]): MeasuredFigure[] {
  return Object.keys(found[0]!).flatMap((name) =>
    found.map((figures, index): MeasuredFigure => {
      const [, what = name, unit = ''] = /^(.*) \((.*)\)$/.exec(name) ?? [];
      const before = found[index - 1]?.[name];
      return {
        measure: 'GROWTH',
        what: `${figure(sizes[index]!)} ${kind}: ${what}`,
        unit,
        runs: [figures[name]!],
        ...(before !== undefined && {
          baseline: { what: `${figure(sizes[index - 1]!)} ${kind}`, runs: [before] },
        }),
      };
    }),
  );
}
