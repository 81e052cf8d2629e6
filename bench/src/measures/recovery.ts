import { setTimeout as sleep } from 'node:timers/promises';
import { until, type HttpClient } from '#testkit';
import { eachRun, type BenchContext } from '../bench.js';
import { processNames, withLocalSystem, type LocalSystem, type ProcessName } from '../local-system.js';
import { FreshnessProbe } from '../freshness-probe.js';
import { goal, type MeasuredFigure } from '../report.js';
import { median } from '../statistics.js';

/** Milliseconds to observe; recovery takes much less. */
const watchMs = 40_000;
const settleMs = 5_000;

interface Recovered {
  /**
   * The longest time without an acknowledged write, and until an event, or the output of a pipeline, could be
   * queried.
   */
  writes: number;
  reads: number;
  outputs: number;
}

/**
 * RECOVERY: seconds until full recovery after `kill -9` of each process, observed by a client, with the system as
 * started by `npm start`; and until a new pipeline and a new projection have output.
 */
export async function recovery(bench: BenchContext): Promise<MeasuredFigure[]> {
  return withLocalSystem(bench, async (system) => {
    const { core, ingest } = system;
    await posted(core, '/api/v1/streams', { stream: 'probed' });
    await posted(core, '/api/v1/streams', { stream: 'made' });
    await posted(core, '/api/v1/pipelines', pipeline('probe', 'made'));
    const probe = new FreshnessProbe(core, ['probed']);
    for (const client of [core, ingest]) probe.writeThrough(client);
    for (const stream of ['probed', 'made']) probe.readFrom([stream]);
    await sleep(settleMs);
    const killed = await eachRun(bench, async () => {
      const found: [ProcessName, Recovered][] = [];
      for (const name of processNames) found.push([name, await afterKill(system, probe, name)]);
      return new Map(found);
    });
    const firsts = await eachRun(bench, (run) => firstOutput(core, run));
    await probe.end();
    return [...killRows(killed), ...firstRows(firsts)];
  });
}

async function afterKill(system: LocalSystem, probe: FreshnessProbe, name: ProcessName): Promise<Recovered> {
  const { core, ingest } = system;
  const since = performance.now();
  process.kill(system.pidOf(name), 'SIGKILL');
  await sleep(watchMs);
  return {
    writes: Math.max(...[core, ingest].map((client) => probe.longestGap(client, since))),
    reads: probe.longestWait(since),
    outputs: probe.longestWait(since, 'made'),
  };
}

async function firstOutput(core: HttpClient, run: number): Promise<{ pipeline: number; projection: number }> {
  const target = `target-${run}`;
  await posted(core, '/api/v1/streams', { stream: target });
  await sleep(settleMs);
  const query = `/api/v1/events/query?stream=${target}&limit=1`;
  return {
    pipeline: await secondsUntil(core, query, {
      path: '/api/v1/pipelines',
      definition: pipeline(target, target),
    }),
    projection: await secondsUntil(core, `/api/v1/projections/${target}/state/probe`, {
      path: '/api/v1/projections',
      definition: {
        ...{ name: target, source: { streams: ['probed'] }, key: 'event.entity_id' },
        fields: { events: { op: 'count' } },
      },
    }),
  };
}

/** Returns the seconds from the definition until the path `shown` returns a result for the probe's events. */
async function secondsUntil(
  core: HttpClient,
  shown: string,
  { path, definition }: { path: string; definition: object },
): Promise<number> {
  const begun = performance.now();
  await posted(core, path, definition);
  const isShown = async () => {
    const { status, text } = await core.get(shown);
    return status === 200 && text.includes('"probe"');
  };
  await until(isShown, { what: `something at ${shown}`, intervalMs: 50 });
  return (performance.now() - begun) / 1000;
}

function pipeline(name: string, stream: string): object {
  const operators = [{ filter: 'event.data.number >= 0' }, { emit: { stream } }];
  return { name, source: { streams: ['probed'] }, operators };
}

async function posted(core: HttpClient, path: string, body: object): Promise<void> {
  const { status, text } = await core.post(path, body);
  if (status !== 201) throw new Error(`${path} answered ${status} ${text}`);
}

function killRows(runs: readonly ReadonlyMap<ProcessName, Recovered>[]): MeasuredFigure[] {
  return processNames.flatMap((name) => {
    // Includes the start of Kafka itself.
    const below = name === 'kafka' ? 15 : 10;
    const found = runs.map((run) => run.get(name)!);
    const row = { measure: 'RECOVERY', unit: 's' };
    const rowOf = (what: string, values: number[]): MeasuredFigure => ({
      ...{ ...row, what: `kill −9 of ${name}: ${what}`, runs: values },
      must: goal(median(values), { below }, 's'),
    });
    return [
      rowOf(
        'longest time without an acknowledged write',
        found.map(({ writes }) => writes),
      ),
      rowOf(
        'longest time until an event could be queried',
        found.map(({ reads }) => reads),
      ),
      rowOf(
        "longest time until a pipeline's output could be",
        found.map(({ outputs }) => outputs),
      ),
    ];
  });
}

function firstRows(runs: readonly { pipeline: number; projection: number }[]): MeasuredFigure[] {
  const rowOf = (what: string, values: number[]): MeasuredFigure => ({
    ...{ measure: 'RECOVERY', unit: 's', what, runs: values },
    must: goal(median(values), { below: 2 }, 's'),
  });
  return [
    rowOf(
      "from a new pipeline's definition to its first output",
      runs.map((run) => run.pipeline),
    ),
    rowOf(
      "from a new projection's definition to its first state",
      runs.map((run) => run.projection),
    ),
  ];
}
