import { setTimeout as sleep } from 'node:timers/promises';
import { createStream, eachRun, type BenchContext } from '../bench.js';
import { runPaced } from '../load/start.js';
import { withLocalSystem, type LocalSystem } from '../local-system.js';
import { goal, type MeasuredFigure } from '../report.js';
import { median, percentile } from '../statistics.js';
import { benchEvents } from '../workload.js';

const stream = 'delivered';
const seconds = 20;
const giveUpMs = 10_000;
/** Milliseconds between two probes. */
const probeMs = 100;
/** Milliseconds of load before the first probe. */
const settleMs = 5_000;

/** Events per second of the load beside the probes, and the events of one of its requests. */
const levels = [
  { eventsPerSecond: 10, batchSize: 1 },
  { eventsPerSecond: 5_000, batchSize: 50 },
];

/** A live stream of all events, and when each probe was delivered. */
interface FollowedProbes {
  readonly deliveredAt: ReadonlyMap<string, number>;
  close(): void;
}

/**
 * DELIVERY: milliseconds from the acknowledgement of an event until a live stream delivers it, with `delivery=accepted`
 * and `stored`, in the system as started by `npm start`. The stream delivers all events; some ten a second are probes.
 */
export async function delivery(bench: BenchContext): Promise<MeasuredFigure[]> {
  return withLocalSystem(bench, async (system) => {
    await createStream(system, stream);
    await runPaced({ ...loadOf(system, levels[1]!, 0), seconds: 10 });
    const rows: MeasuredFigure[] = [];
    for (const kind of ['accepted', 'stored'] as const)
      for (const level of levels) {
        const runs = await eachRun(bench, (run) => delaysAt(system, { kind, level, run }));
        const p95 = runs.map((delays) => percentile(delays, 0.95));
        const what = `${kind}: acknowledged to delivered, live, at ${level.eventsPerSecond} events/s`;
        rows.push(
          {
            measure: 'DELIVERY',
            what: `${what}, p50`,
            unit: 'ms',
            runs: runs.map((of) => percentile(of, 0.5)),
          },
          {
            ...{ measure: 'DELIVERY', what: `${what}, p95`, unit: 'ms', runs: p95 },
            ...(kind === 'accepted' && { must: goal(median(p95), { below: 20 }, 'ms') }),
          },
        );
      }
    return rows;
  });
}

async function delaysAt(
  system: LocalSystem,
  { kind, level, run }: { kind: string; level: (typeof levels)[number]; run: number },
): Promise<number[]> {
  const followed = await follow(system, kind);
  const load = runPaced({ ...loadOf(system, level, run), seconds: seconds + settleMs / 1000 + 1 });
  // The stream has joined the log, and its id windows are filled.
  await sleep(settleMs);
  const acknowledgedAt = new Map<string, number>();
  const until = performance.now() + seconds * 1000;
  for (let i = 0; performance.now() < until; i++) {
    const entity = `probe-${kind}-${level.eventsPerSecond}-${run}-${i}`;
    const event = { ...benchEvents(1, { stream, seed: i })[0], entity_id: entity };
    const { status, text } = await system.ingest.post('/api/v1/events', event);
    if (status !== 201) throw new Error(`a probe was answered with ${status}: ${text}`);
    acknowledgedAt.set(entity, performance.now());
    await sleep(probeMs);
  }
  await load;
  const { deliveredAt } = followed;
  for (const end = performance.now() + giveUpMs; deliveredAt.size < acknowledgedAt.size; await sleep(50))
    if (performance.now() > end)
      throw new Error(`${acknowledgedAt.size - deliveredAt.size} probes were not delivered`);
  followed.close();
  return [...acknowledgedAt].map(([entity, at]) => Math.max(0, deliveredAt.get(entity)! - at));
}

async function follow(system: LocalSystem, kind: string): Promise<FollowedProbes> {
  const stop = new AbortController();
  const path = `/api/v1/events/stream?stream=${stream}&delivery=${kind}`;
  const { body, status } = await fetch(new URL(path, system.core.baseUrl), { signal: stop.signal });
  if (status !== 200 || !body) throw new Error(`the live stream was answered with ${status}`);
  const deliveredAt = new Map<string, number>();
  void read(body, deliveredAt).catch((error: unknown) => {
    if (!stop.signal.aborted) throw error;
  });
  return { deliveredAt, close: () => stop.abort() };
}

async function read(body: AsyncIterable<Uint8Array>, deliveredAt: Map<string, number>): Promise<void> {
  let rest = '';
  for await (const chunk of body) {
    const now = performance.now();
    const text = rest + Buffer.from(chunk).toString('latin1');
    const end = text.lastIndexOf('\n') + 1;
    for (const [, entity] of text.slice(0, end).matchAll(/"entity_id":"(probe-[^"]+)"/g))
      deliveredAt.set(entity!, now);
    rest = text.slice(end);
  }
}

function loadOf(system: LocalSystem, level: (typeof levels)[number], seed: number) {
  const urls = { writeUrl: system.ingest.baseUrl, readUrl: system.core.baseUrl };
  return { ...urls, ...level, stream, connections: 4, probes: false, seed };
}
