import { setTimeout as sleep } from 'node:timers/promises';
import { until, type HttpClient } from '#testkit';
import { eachRun, type BenchContext } from '../bench.js';
import { withLocalSystem } from '../local-system.js';
import { FreshnessProbe } from '../freshness-probe.js';
import type { MeasuredFigure } from '../report.js';

const streamCount = 149;
const probed = 20;
const atOnce = 5;
const settleMs = 10_000;

interface Made {
  /** Seconds until an event of each new stream could be queried. */
  own: number;
  /** The longest delay in seconds of events of the other streams meanwhile. */
  others: number;
}

/** STREAMS: the effect of one new stream, and of fifteen, on 149 existing ones, of which 20 are written to. */
export async function streams(bench: BenchContext): Promise<MeasuredFigure[]> {
  return withLocalSystem(bench, async ({ core }) => {
    const names = Array.from({ length: streamCount }, (_, index) => `s${index}`);
    for (let at = 0; at < names.length; at += atOnce) await firstEvents(core, names.slice(at, at + atOnce));
    const probe = new FreshnessProbe(core, names.slice(0, probed));
    probe.writeThrough(core);
    probe.readFrom(names.slice(0, probed));
    await sleep(settleMs);
    const rows: MeasuredFigure[] = [];
    for (const count of [1, 15]) {
      const runs = await eachRun(bench, (run) => newStreams(core, probe, { count, run }));
      rows.push(...rowsOf(count, runs));
    }
    await probe.end();
    return rows;
  });
}

async function newStreams(
  core: HttpClient,
  probe: FreshnessProbe,
  { count, run }: { count: number; run: number },
): Promise<Made> {
  const since = performance.now();
  const names = Array.from({ length: count }, (_, index) => `new-${count}-${run}-${index}`);
  await firstEvents(core, names);
  const own = (performance.now() - since) / 1000;
  await sleep(settleMs);
  return { own, others: probe.longestWait(since) };
}

/** Writes an event to each stream, which creates the stream, and waits until the event can be queried. */
async function firstEvents(core: HttpClient, names: readonly string[]): Promise<void> {
  await Promise.all(
    names.map(async (stream) => {
      const { status, text } = await core.post('/api/v1/events', { stream, event_type: 'first', data: {} });
      if (status !== 201) throw new Error(`the event was not written: ${status} ${text}`);
      const count = async () =>
        (await core.get(`/api/v1/events/query?stream=${stream}&limit=1`)).text.includes('"first"');
      await until(count, { what: `the event of ${stream}`, intervalMs: 50 });
    }),
  );
}

function rowsOf(count: number, runs: readonly Made[]): MeasuredFigure[] {
  const made = `${count} new ${count === 1 ? 'stream' : 'streams'} beside ${streamCount}`;
  const row = { measure: 'STREAMS', unit: 's' };
  return [
    { ...row, what: `${made}: until its event can be queried`, runs: runs.map(({ own }) => own) },
    {
      ...row,
      what: `${made}: longest until one of the others can be`,
      runs: runs.map(({ others }) => others),
    },
  ];
}
