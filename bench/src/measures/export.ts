import type { TestSystem } from '#testkit';
import { withStack, type BenchContext } from '../bench.js';
import { runChild } from '../child.js';
import { PlainClickHouseClient } from '../clickhouse.js';
import type { ExportJob, ExportResult } from '../load/export.js';
import { MemorySampler } from '../memory-sampler.js';
import {
  createPageStreams,
  insertFlights,
  makeEvents,
  sizeOf,
  type DatasetComposition,
} from '../pages/dataset.js';
import { pageKinds, pagePaths, type PageSelectionKind } from '../pages/queries.js';
import { pageRequest, timeRequests } from '../pages/time-pages.js';
import { figure, goal, type MeasuredFigure } from '../report.js';
import { median, percentile } from '../statistics.js';

/** NDJSON is written by the gateway, Parquet by ClickHouse. */
const formats = ['ndjson', 'parquet'] as const;
type Format = (typeof formats)[number];

const pagesPerKind = 200;
/** Pages of one kind that are timed before the next kind. */
const pagesAtOnce = 20;
const exportLimitMs = 3_600_000;

/** Milliseconds of pages by kind. */
type PageTimes = Record<PageSelectionKind, number[]>;

/** One export with the times of pages before and during it, and the gateway's largest memory in MB. */
interface ExportRun extends ExportResult {
  format: Format;
  before: PageTimes;
  during: PageTimes;
  gatewayMb: number;
}

/** EXPORT: the pages of P5 during an export of the whole data set, compared with the same pages before it. */
export async function exports(bench: BenchContext): Promise<MeasuredFigure[]> {
  const size = sizeOf(bench.options.pageEvents);
  const found = await withStack(bench, async (stack) => {
    const clickhouse = new PlainClickHouseClient(bench.engines, stack.database);
    const streams = await createPageStreams(stack);
    await makeEvents(clickhouse, { streams: streams.made, from: 0, until: size.made });
    await insertFlights(clickhouse, streams.flights, size.flights);
    await clickhouse.settled();
    const runs: ExportRun[] = [];
    for (let run = 1; run <= bench.options.runs; run++) {
      for (const format of formats) {
        bench.say(`run ${run} of ${bench.options.runs}, ${format}`);
        runs.push(await timeExport(stack, size, { format, seed: run }));
      }
    }
    return runs;
  });
  return formats.flatMap((format) =>
    rowsOf(
      format,
      bench.options.pageEvents,
      found.filter((run) => run.format === format),
    ),
  );
}

async function timeExport(
  stack: TestSystem,
  size: DatasetComposition,
  { format, seed }: { format: Format; seed: number },
): Promise<ExportRun> {
  await timeKinds(stack, size, { count: pagesAtOnce, seed });
  const before = await timeKinds(stack, size, { count: pagesPerKind, seed });
  const memory = new MemorySampler(() => ({ gateway: stack.gateway.pid }));
  const url = new URL(`/api/v1/events/export?format=${format}`, stack.urls.query).href;
  const job: ExportJob = { url, key: stack.key };
  let running = true;
  const exported = runChild<ExportResult>('load/export.js', job, exportLimitMs).finally(
    () => (running = false),
  );
  const during = Object.fromEntries(pageKinds.map((kind) => [kind, [] as number[]])) as PageTimes;
  const timed = (async () => {
    for (let round = 0; running; round++) {
      const times = await timeKinds(stack, size, { count: pagesAtOnce, seed: seed * 100_000 + round });
      // The last round may have ended after the export.
      if (running) for (const kind of pageKinds) during[kind].push(...times[kind]);
    }
  })();
  const [result] = await Promise.all([exported, timed]);
  return { format, ...result, before, during, gatewayMb: memory.stop().gateway?.max ?? NaN };
}

async function timeKinds(
  stack: TestSystem,
  size: DatasetComposition,
  options: { count: number; seed: number },
): Promise<PageTimes> {
  const times: Partial<PageTimes> = {};
  for (const kind of pageKinds) {
    const paths = pagePaths(kind, size, options);
    const requests = paths.map((path) => pageRequest(stack.urls.query, path, stack.key));
    times[kind] = await timeRequests(stack.urls.query, requests);
  }
  return times as PageTimes;
}

function rowsOf(format: Format, events: number, runs: readonly ExportRun[]): MeasuredFigure[] {
  const measure = 'EXPORT';
  const what = `${figure(events)} events as ${format}`;
  const pages = pageKinds.map((kind): MeasuredFigure => {
    const at = (share: number, when: 'before' | 'during') =>
      runs.map((run) => percentile(run[when][kind], share));
    const slower = median(at(0.99, 'during')) / median(at(0.99, 'before'));
    return {
      measure,
      what: `page of 100 by ${kind} during an export of ${what}, p99`,
      unit: 'ms',
      runs: at(0.99, 'during'),
      baseline: { what: 'before the export', runs: at(0.99, 'before') },
      must: goal(slower, { below: 2 }, '×'),
      details: {
        p50: at(0.5, 'during'),
        p50Before: at(0.5, 'before'),
        pages: runs.map((run) => run.during[kind].length),
      },
    };
  });
  return [
    ...pages,
    {
      measure,
      what: `export of ${what}, with these pages`,
      unit: 'events/s',
      runs: runs.map(({ seconds }) => events / seconds),
      details: { bytes: runs.map(({ bytes }) => bytes) },
    },
    {
      measure,
      what: 'memory of gateway, most during it',
      unit: 'MB',
      runs: runs.map(({ gatewayMb }) => gatewayMb),
    },
  ];
}
