import { setTimeout as sleep } from 'node:timers/promises';
import { until, type HttpClient } from '#testkit';
import { createStream } from './bench.js';
import { processNames, type LocalSystem, type ProcessName } from './local-system.js';
import { usageOf } from './process-usage.js';
import { byEntity, define } from './projections.js';

/** Names of the metrics that report a lag in seconds. The lag of an app is the maximum over all series of its metrics. */
const lags = {
  materializer: ['tributary_consume_lag_seconds'],
  processor: [
    'tributary_projection_lag_seconds',
    'tributary_pipeline_lag_seconds',
    'tributary_snapshot_lag_seconds',
  ],
} as const;
const pollMs = 500;

/** Processor seconds by process, including the engines. */
export type CpuSecondsByProcess = Record<ProcessName, number>;

/** Creates a stream with a projection over it, and optionally a pipeline that counts in windows of a minute. */
export async function furnish(
  { core }: Pick<LocalSystem, 'core'>,
  stream: string,
  { pipeline }: { pipeline: boolean },
): Promise<void> {
  await createStream({ core }, stream);
  await define({ core }, byEntity(`${stream}_by_entity`, stream));
  if (!pipeline) return;
  const { status, text } = await core.post('/api/v1/pipelines', {
    name: `${stream}_by_country`,
    source: { streams: [stream] },
    operators: [
      { window: { tumbling: '60s', key: 'event.data.customer.country', lateness: '5s' } },
      { reduce: { orders: { op: 'count' }, total: { op: 'sum', value: 'event.data.amount' } } },
      { emit: { stream: `${stream}_by_country` } },
    ],
  });
  if (status !== 201) throw new Error(`the pipeline was not defined: ${status} ${text}`);
}

/** The number of concurrent writers of first events, each with one request at a time, on a connection of its own. */
const firstWriters = 64;

/** Writes an event to each of the streams, which creates the stream. Resolves when all events can be queried. */
export async function writeFirstEvents(system: LocalSystem, names: readonly string[]): Promise<void> {
  const left = names.values();
  const write = async (): Promise<void> => {
    for (const stream of left) {
      const event = { stream, event_type: 'first', data: {} };
      const { status, text } = await system.ingest.post('/api/v1/events', event, { timeoutMs: 60_000 });
      if (status !== 201) throw new Error(`the event was not written: ${status} ${text}`);
    }
  };
  await Promise.all(Array.from({ length: firstWriters }, write));
  const shown = async () => {
    const { text } = await system.core.get(`/api/v1/events/count?group_by=stream`);
    return names.every((name) => text.includes(`"${name}"`));
  };
  await until(shown, { what: 'an event of each stream', intervalMs: 200, patienceMs: 300_000 });
}

/** Runs the work and returns the processor seconds of each process. */
export async function spentIn<T>(
  system: LocalSystem,
  work: () => Promise<T>,
): Promise<{ result: T; spent: CpuSecondsByProcess }> {
  const seconds = () => processNames.map((name) => usageOf(system.pidOf(name)).cpuSeconds);
  const before = seconds();
  const result = await work();
  const spent = seconds().map((value, index) => [processNames[index]!, value - before[index]!]);
  return { result, spent: Object.fromEntries(spent) as CpuSecondsByProcess };
}

export function totalOf(spent: Partial<CpuSecondsByProcess>): number {
  return Object.values(spent).reduce((sum, seconds) => sum + seconds, 0);
}

/** Returns each lag in seconds by the name of its metric. */
export async function lagsOf(system: LocalSystem): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const app of ['materializer', 'processor'] as const)
    Object.assign(found, await greatest(system[app], lags[app]));
  return found;
}

/** Returns the seconds until no lag is left; Infinity if there is lag after `limitSeconds`. */
export async function caughtUp(system: LocalSystem, limitSeconds: number): Promise<number> {
  const since = performance.now();
  const seconds = () => (performance.now() - since) / 1000;
  while (Object.values(await lagsOf(system)).some((lag) => lag > 0)) {
    if (seconds() > limitSeconds) return Infinity;
    await sleep(pollMs);
  }
  return seconds();
}

async function greatest(app: HttpClient, names: readonly string[]): Promise<Record<string, number>> {
  const { text } = await app.get('/metrics');
  return Object.fromEntries(
    names.map((name) => {
      const values = [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))];
      return [name, Math.max(0, ...values.map(([, value]) => Number(value)))];
    }),
  );
}
