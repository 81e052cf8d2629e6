import { join } from 'node:path';
import { HttpClient, until } from '#testkit';
import { createStream, eachRun, type BenchContext } from '../bench.js';
import { requestBytes } from '../http/connection.js';
import type { ClosedLoopResult } from '../load/job.js';
import { tryClosedLoop } from '../load/start.js';
import { withLocalSystem, type LocalSystem } from '../local-system.js';
import { timePages, type PageLatencies } from '../pages/time-pages.js';
import { peerProgram, programOnPath, withPeer } from '../peer-program.js';
import { figure, type MeasuredFigure } from '../report.js';
import { percentile } from '../statistics.js';
import { caughtUp } from '../whole-system.js';
import { eventTypes } from '../workload.js';

const seconds = 10;
const catchUpSeconds = 300;

/** The stored events of the queries: 100 of each entity. */
const stored = { stream: 'pages', entities: 500, events: 50_000 };
const pagesPerRun = 200;

const loads = {
  singles: { what: 'single events, 64 connections', connections: 64, batchSize: 1 },
  batches: { what: 'batches of 500, 4 connections', connections: 4, batchSize: 500 },
} as const;
type Load = keyof typeof loads;
const loadNames = Object.keys(loads) as Load[];
const pageKinds = ['entity', 'type'] as const;
type PageKind = (typeof pageKinds)[number];

/** One of the measured systems. */
interface Contender {
  writeUrl: string;
  readUrl: string;
  peer: boolean;
  /** Resolves when all acknowledged events can be queried and nothing is left to do. */
  settled: () => Promise<void>;
}

type Writes = Record<Load, ClosedLoopResult>;
/** What one run has measured: the system with its defaults, the same with a log that syncs, and the peer. */
interface RunResult {
  version: string;
  defaults: Writes;
  synced: Writes;
  peer: Writes;
  pages: Record<PageKind, PageLatencies>;
}

/**
 * PEER: the same single events, batches, and queries by entity and by type to the system as started by `npm start` and to
 * another event store, in turn. Both run during the whole comparison, and one waits until the other has stored what it
 * acknowledged. Then the writes again to the system with a broker that syncs each append, as the peer does.
 */
export async function peer(bench: BenchContext): Promise<MeasuredFigure[]> {
  const program = programOnPath();
  if (!program) {
    bench.say(
      `PEER is skipped: ${peerProgram} is not on the PATH. \`cargo install ${peerProgram}\` installs it.`,
    );
    return [];
  }
  const runs = await eachRun(bench, async (run) => {
    const compared = await withPeer({ program, folder: join(bench.folder, 'peer') }, ({ url, version }) => {
      const other = { writeUrl: url, readUrl: url, peer: true, settled: () => Promise.resolve() };
      return withLocalSystem(bench, async (system) => ({ version, ...(await compare(system, other, run)) }));
    });
    return { ...compared, synced: await withSyncingLog(bench, run) };
  });
  return [...loadNames.flatMap((load) => writeRows(load, runs)), ...pageRows(runs)];
}

async function compare(
  system: LocalSystem,
  other: Contender,
  run: number,
): Promise<Pick<RunResult, 'defaults' | 'peer' | 'pages'>> {
  const ours = contenderOf(system);
  const pages = await comparePages(system, { ours, other }, run);
  const order = run % 2 === 1 ? [ours, other] : [other, ours];
  const results = new Map<Contender, Partial<Writes>>(order.map((contender) => [contender, {}]));
  for (const load of loadNames) {
    await createStream(system, load);
    for (const contender of order) results.get(contender)![load] = await write(contender, load, run);
  }
  return { defaults: results.get(ours) as Writes, peer: results.get(other) as Writes, pages };
}

/** Stores the same events in both systems, and times the same queries of both, one at a time, in turn. */
async function comparePages(
  system: LocalSystem,
  { ours, other }: { ours: Contender; other: Contender },
  seed: number,
): Promise<RunResult['pages']> {
  await createStream(system, stored.stream);
  for (const { writeUrl, peer, settled } of [ours, other]) {
    const load = { ...stored, connections: 4, batchSize: 500, warmUpEvents: 0, seed };
    await tryClosedLoop({ ...load, urls: [writeUrl], peer });
    await settled();
  }
  const times: Partial<RunResult['pages']> = {};
  for (const kind of pageKinds) {
    for (const contender of [ours, other]) await expectFullPage(contender, kind);
    const pages = Array.from({ length: pagesPerRun }, (_, n) => ({
      request: pageRequest(ours, kind, n),
      direct: [pageRequest(other, kind, n)],
    }));
    times[kind] = await timePages(pages, { system: ours.readUrl, clickhouse: other.readUrl });
  }
  return times as RunResult['pages'];
}

function pagePath({ peer }: Contender, kind: PageKind, n: number): string {
  const query = new URLSearchParams({
    [peer ? 'tenant_id' : 'stream']: stored.stream,
    ...(kind === 'entity' && { entity_id: `order-${(n * 7) % stored.entities}` }),
    ...(kind === 'type' && { event_type: eventTypes[n % eventTypes.length]! }),
    ...{ order: 'desc', limit: '100' },
  });
  return `/api/v1/events/query?${query.toString()}`;
}

function pageRequest(contender: Contender, kind: PageKind, n: number): Buffer {
  const { host } = new URL(contender.readUrl);
  return requestBytes({ method: 'GET', path: pagePath(contender, kind, n), host });
}

async function expectFullPage(contender: Contender, kind: PageKind): Promise<void> {
  const page = async () => new HttpClient(contender.readUrl).get(pagePath(contender, kind, 0));
  const isFull = async () => (JSON.parse((await page()).text) as { events: unknown[] }).events.length === 100;
  await until(isFull, { what: `100 events by ${kind}`, diagnosis: async () => (await page()).text });
}

/** Writes for some time, and waits until the system has settled. */
async function write(
  { writeUrl, peer, settled }: Contender,
  load: Load,
  seed: number,
): Promise<ClosedLoopResult> {
  const { connections, batchSize } = loads[load];
  const job = { stream: load, connections, batchSize, seconds, warmUpEvents: 10_000, seed };
  const result = await tryClosedLoop({ ...job, urls: [writeUrl], peer });
  await settled();
  return result;
}

function contenderOf(system: LocalSystem): Contender {
  return {
    ...{ writeUrl: system.ingest.baseUrl, readUrl: system.core.baseUrl, peer: false },
    settled: async () => {
      const waited = await caughtUp(system, catchUpSeconds);
      if (waited === Infinity) throw new Error(`there is lag after ${catchUpSeconds} s`);
    },
  };
}

/** Measures the writes to the system on a broker that syncs each append before it acknowledges. */
async function withSyncingLog(bench: BenchContext, run: number): Promise<Writes> {
  const { startKafka } = await import('#local');
  const dataDir = join(bench.folder, `syncing-kafka-${run}`);
  const kafka = await startKafka({ dataDir, properties: { 'log.flush.interval.messages': 1 } });
  const writeAll = async (system: LocalSystem) => {
    const results: Partial<Writes> = {};
    for (const load of loadNames) {
      await createStream(system, load);
      results[load] = await write(contenderOf(system), load, run);
    }
    return results as Writes;
  };
  try {
    return await withLocalSystem(bench, writeAll, { brokers: kafka.brokers });
  } finally {
    await kafka.stop();
  }
}

function writeRows(load: Load, runs: readonly RunResult[]): MeasuredFigure[] {
  const rates = (who: 'defaults' | 'synced' | 'peer') => runs.map((run) => run[who][load].eventsPerSecond);
  const baseline = {
    what: `${peerProgram} ${runs[0]!.version}, fsync of each event${failures(load, 'peer', runs)}`,
  };
  const row = (who: 'defaults' | 'synced', sync: string): MeasuredFigure => ({
    ...{
      measure: 'PEER',
      unit: 'events/s',
      what: `${loads[load].what}, ${sync}${failures(load, who, runs)}`,
    },
    ...{ runs: rates(who), baseline: { ...baseline, runs: rates('peer') } },
    details: { ours: runs.map((run) => run[who][load]), peer: runs.map((run) => run.peer[load]) },
  });
  return [row('defaults', 'one broker, no fsync'), row('synced', 'one broker, fsync of each append')];
}

/** Returns a text with the number of failed requests; it is empty without any. */
function failures(load: Load, who: 'defaults' | 'synced' | 'peer', runs: readonly RunResult[]): string {
  const counts = runs.flatMap((run) => Object.entries(run[who][load].statuses));
  const failed = counts.reduce((sum, [status, count]) => sum + (/^20[01]$/.test(status) ? 0 : count), 0);
  return failed > 0 ? `, ${failed} failed requests` : '';
}

function pageRows(runs: readonly RunResult[]): MeasuredFigure[] {
  return pageKinds.map((kind) => ({
    ...{
      measure: 'PEER',
      unit: 'ms',
      what: `page of 100 of ${figure(stored.events)} events by ${kind}, p50`,
    },
    runs: runs.map(({ pages }) => percentile(pages[kind].system, 0.5)),
    baseline: {
      what: `${peerProgram} ${runs[0]!.version}, from memory`,
      runs: runs.map(({ pages }) => percentile(pages[kind].direct, 0.5)),
    },
  }));
}
