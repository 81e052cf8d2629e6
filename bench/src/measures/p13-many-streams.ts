import { setTimeout as sleep } from 'node:timers/promises';
import { until, type HttpClient } from '#testkit';
import { eachRun, type BenchContext } from '../bench.js';
import { processNames, withLocalSystem, type LocalSystem } from '../local-system.js';
import { usageOf } from '../process-usage.js';
import { goal, type MeasuredFigure } from '../report.js';
import { median } from '../statistics.js';
import { spentIn } from '../whole-system.js';

const streamCount = 1_000;
/** The number of concurrent writers, each with one request at a time, on a connection of its own. */
const atOnce = 64;
const settleMs = 10_000;
const idleMs = 30_000;

interface Seen {
  /** Seconds from the first write until the last stream's event can be queried. */
  seconds: number;
  /**
   * While idle: the processor time of the Node processes in percent of a core, and the memory of the largest of them
   * in MB.
   */
  idle: number;
  memory: number;
}

/** P13: a thousand streams created at once by their first events, and their idle cost. */
export async function manyStreams(bench: BenchContext): Promise<MeasuredFigure[]> {
  const runs = await eachRun(bench, () => withLocalSystem(bench, made));
  const bounded = (row: Pick<MeasuredFigure, 'what' | 'unit' | 'runs'>, below: number): MeasuredFigure => ({
    ...{ measure: 'P13', ...row },
    must: goal(median(row.runs), { below }, row.unit),
  });
  const [seconds, idle, memory] = [
    runs.map((run) => run.seconds),
    runs.map((run) => run.idle),
    runs.map((run) => run.memory),
  ];
  return [
    {
      ...bounded(
        {
          what: `${streamCount} new streams: until the last one's event can be queried`,
          unit: 's',
          runs: seconds,
        },
        15,
      ),
      aim: goal(median(seconds), { below: 5 }, 's'),
    },
    bounded(
      { what: 'the same: idle processor time of all Node processes', unit: '% of a core', runs: idle },
      4,
    ),
    bounded({ what: 'the same: memory of the largest Node process', unit: 'MB', runs: memory }, 500),
  ];
}

async function made(system: LocalSystem): Promise<Seen> {
  const since = performance.now();
  const names = Array.from({ length: streamCount }, (_, index) => `many-${index}`);
  const left = names.values();
  await Promise.all(Array.from({ length: atOnce }, () => writeFirst(system.ingest, left)));
  const shown = async () => {
    const { text } = await system.core.get(`/api/v1/events/count?group_by=stream`);
    return names.every((name) => text.includes(`"${name}"`));
  };
  await until(shown, { what: 'an event of each stream', intervalMs: 200, patienceMs: 300_000 });
  const seconds = (performance.now() - since) / 1000;
  await sleep(settleMs);
  const { spent } = await spentIn(system, () => sleep(idleMs));
  const apps = processNames.filter((name) => name !== 'clickhouse' && name !== 'kafka');
  const used = apps.reduce((sum, name) => sum + spent[name], 0);
  return {
    seconds,
    idle: (used * 100_000) / idleMs,
    memory: Math.max(...apps.map((name) => usageOf(system.pidOf(name)).rss / 1e6)),
  };
}

async function writeFirst(ingest: HttpClient, streams: Iterable<string>): Promise<void> {
  for (const stream of streams) {
    const event = { stream, event_type: 'first', data: {} };
    const { status, text } = await ingest.post('/api/v1/events', event, { timeoutMs: 60_000 });
    if (status !== 201) throw new Error(`the event was not written: ${status} ${text}`);
  }
}
