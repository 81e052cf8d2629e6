import { ClickHouseCluster, type TestSystem } from '#testkit';
import { eachRun, observed, withStack, type BenchContext } from '../bench.js';
import { usageOf } from '../process-usage.js';
import { byEntity, foldBacklog, rateBetween } from '../projections.js';
import type { MeasuredFigure } from '../report.js';
import { median } from '../statistics.js';
import { drainOnce, fill } from './p3-drain.js';

const defaultEvents = 1_000_000;
const stream = 'backlog';
/** Systems on one server and on three shards, with as many materializers as processors. */
const systems = [
  { shards: 1, instances: 1 },
  { shards: 3, instances: 1 },
  { shards: 3, instances: 2 },
  { shards: 3, instances: 3 },
] as const;
type System = (typeof systems)[number];

/** What is read from both systems, in turn. */
const reads = {
  'page of 100 by time': (n: number) =>
    `/api/v1/events/query?stream=${stream}&limit=100&order=${n % 2 ? 'asc' : 'desc'}`,
  'count by type': () => `/api/v1/events/count?stream=${stream}&group_by=event_type`,
} as const;
const readsPerRun = 100;

/** The rates of one system, and the processor microseconds that its apps and its ClickHouse spent for an event. */
interface SystemFigures {
  writtenMicros: { ingest: number; kafka: number };
  stored: number;
  storedMicros: { materializers: number; clickhouse: number };
  folded: number;
  foldedMicros: { processors: number; clickhouse: number };
}

/**
 * SHARDS: a backlog is stored by one, two and three materializers, as in P3, and then folded by as many processors, as in P7, on three
 * ClickHouse servers; and by one of each on one server. Then pages and counts on one server and on three, alternately. All
 * processes share the cores of one machine, so the processor time for an event says more than the rates.
 */
export async function shards(bench: BenchContext): Promise<MeasuredFigure[]> {
  const events = bench.options.events ?? defaultEvents;
  const cluster = await ClickHouseCluster.start(3);
  try {
    const figures = new Map<System, SystemFigures[]>(systems.map((system) => [system, []]));
    const latencies = new Map<string, { one: number[]; three: number[] }>(
      Object.keys(reads).map((what) => [what, { one: [], three: [] }]),
    );
    await eachRun(bench, () =>
      withSystems({ bench, cluster, events, opened: new Map() }, [...systems], async (opened) => {
        for (const [system, { found }] of opened) figures.get(system)!.push(found);
        const [one, three] = [opened.get(systems[0])!.stack, opened.get(systems[3])!.stack];
        for (const [what, pathOf] of Object.entries(reads)) {
          const times = await timeAlternately({ one, three }, pathOf);
          latencies.get(what)!.one.push(times.one);
          latencies.get(what)!.three.push(times.three);
        }
      }),
    );
    return [...rateRows(figures, events), ...readRows(latencies)];
  } finally {
    await cluster.stop();
  }
}

type OpenedSystems = Map<System, { stack: TestSystem; found: SystemFigures }>;

/** Opens and measures one system after the other, and calls a function while all of them run. */
async function withSystems(
  made: { bench: BenchContext; cluster: ClickHouseCluster; events: number; opened: OpenedSystems },
  [system, ...others]: System[],
  use: (opened: OpenedSystems) => Promise<void>,
): Promise<void> {
  const { bench, cluster, events, opened } = made;
  if (!system) return use(opened);
  const { instances } = system;
  const onShards = system.shards > 1;
  bench.say(`${instances} materializers and processors, ${system.shards} shards`);
  const pids = onShards ? cluster.servers.map(({ pid }) => pid) : [bench.engines.pids.clickhouse!];
  const measureIn = async (stack: TestSystem) => {
    const found = await figuresOf(bench, stack, { events, pids });
    for (const app of [...stack.materializers, ...stack.processors]) await app.stop();
    opened.set(system, { stack, found });
    await withSystems(made, others, use);
  };
  await withStack(bench, measureIn, {
    ...{ materializers: instances, processors: instances },
    ...(onShards && { cluster }),
  });
}

async function figuresOf(
  bench: BenchContext,
  stack: TestSystem,
  { events, pids }: { events: number; pids: readonly number[] },
): Promise<SystemFigures> {
  const secondsOf = (of: readonly number[]) => of.reduce((sum, pid) => sum + usageOf(pid).cpuSeconds, 0);
  const clickhouseSeconds = () => secondsOf(pids);
  const kafkaSeconds = () => secondsOf([bench.engines.pids.kafka!]);
  const micros = (seconds: number) => (seconds * 1e6) / events;
  const ofApps = (spent: Record<string, number>, app: string) =>
    Object.entries(spent).reduce((sum, [name, seconds]) => sum + (name.startsWith(app) ? seconds : 0), 0);
  for (const app of [...stack.materializers, ...stack.processors]) await app.stop();
  const empty = kafkaSeconds();
  const written = await observed(bench, stack, () => fill(stack, stream, events));
  const kafka = micros(kafkaSeconds() - empty);
  const [before, drained] = [clickhouseSeconds(), await drainOnce(bench, stack, { stream })];
  const between = clickhouseSeconds();
  const { first, marks, cpuSeconds } = await foldBacklog(bench, stack, {
    ...{ definition: byEntity('by_entity', stream), marks: [events] },
  });
  return {
    writtenMicros: { ingest: micros(ofApps(written.cpuSeconds, 'ingest')), kafka },
    stored: drained.eventsPerSecond,
    storedMicros: {
      materializers: micros(ofApps(drained.cpuSeconds, 'materializer')),
      clickhouse: micros(between - before),
    },
    folded: rateBetween(first, marks[0]!),
    foldedMicros: {
      processors: micros(ofApps(cpuSeconds, 'processor')),
      clickhouse: micros(clickhouseSeconds() - between),
    },
  };
}

/** Returns the medians in milliseconds of reads of two systems, one at a time, in turn. */
async function timeAlternately(
  stacks: Record<'one' | 'three', TestSystem>,
  pathOf: (n: number) => string,
): Promise<Record<'one' | 'three', number>> {
  const times: Record<'one' | 'three', number[]> = { one: [], three: [] };
  for (let n = 0; n < readsPerRun; n++) {
    for (const which of ['one', 'three'] as const) {
      const since = performance.now();
      const { status, text } = await stacks[which].query.get(pathOf(n));
      if (status !== 200) throw new Error(`a read failed: ${status} ${text}`);
      times[which].push(performance.now() - since);
    }
  }
  return { one: median(times.one), three: median(times.three) };
}

function rateRows(figures: ReadonlyMap<System, SystemFigures[]>, events: number): MeasuredFigure[] {
  const alone = figures.get(systems[0])!;
  const rowsOf = ({ shards, instances }: System, runs: SystemFigures[]): MeasuredFigure[] => {
    const row = (what: string, valueOf: (one: SystemFigures) => number, unit: string) => ({
      measure: 'SHARDS' as const,
      what: `${what}, ${shards} shards, ${instances} of the app, ${events} events`,
      unit,
      runs: runs.map(valueOf),
      ...(shards > 1 && { baseline: { what: 'one server, one of the app', runs: alone.map(valueOf) } }),
      details: { runs },
    });
    return [
      row('writing, ingest', ({ writtenMicros }) => writtenMicros.ingest, 'µs/event'),
      row('writing, Kafka', ({ writtenMicros }) => writtenMicros.kafka, 'µs/event'),
      row('storing', ({ stored }) => stored, 'events/s'),
      row('storing, materializers', ({ storedMicros }) => storedMicros.materializers, 'µs/event'),
      row('storing, ClickHouse', ({ storedMicros }) => storedMicros.clickhouse, 'µs/event'),
      row('a projection', ({ folded }) => folded, 'events/s'),
      row('a projection, processors', ({ foldedMicros }) => foldedMicros.processors, 'µs/event'),
      row('a projection, ClickHouse', ({ foldedMicros }) => foldedMicros.clickhouse, 'µs/event'),
    ];
  };
  return [...figures].flatMap(([system, runs]) => rowsOf(system, runs));
}

function readRows(latencies: ReadonlyMap<string, { one: number[]; three: number[] }>): MeasuredFigure[] {
  return [...latencies].map(([what, { one, three }]) => ({
    measure: 'SHARDS' as const,
    what: `${what}, three shards, p50`,
    unit: 'ms',
    runs: three,
    baseline: { what: 'one server', runs: one },
  }));
}
