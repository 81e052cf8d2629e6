import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AppProcess } from '#testkit';

/**
 * The longest accepted stall, in milliseconds of processor time: 200 or another bucket bound of the stall histogram
 * (otherwise the next lower bound counts). The goal is 200, for a quiet machine. The default detects work that grows
 * with its input. The default leaves room for a shared machine, on which the same work takes up to three times the
 * processor time.
 */
const mostStallMs = Number(process.env.COST_STALL_MS ?? 800);
/** The largest accepted growth of a process during one request, in MB. The goal is 100. */
const mostMegabytes = Number(process.env.COST_MEMORY_MB ?? 150);
/** The watchdog of a process checks every 20 ms, so a stall that has just ended is counted after this time. */
const lookMs = 60;

/** The parts of a process that are measured. */
type Watched = Pick<AppProcess, 'name' | 'probeUrl' | 'log' | 'pid'>;

interface Stalls {
  /** The number of stalls of more than 200 ms. */
  count: number;
  /** The number of stalls above the limit. */
  tooLong: number;
}

interface Before extends Stalls {
  logged: number;
}

/**
 * Measures the cost of requests for the processes: the stalls that their own watchdogs count (processor time of the
 * main thread, so other processes do not affect it), and their peak memory as counted by Linux. Returns a sentence
 * for each exceeded limit.
 */
export class CostMeter {
  private readonly before = new Map<Watched, Before>();
  private readonly kilobytes = new Map<Watched, number>();

  constructor(private readonly apps: readonly Watched[]) {}

  /** Starts counting stalls. */
  async begin(): Promise<void> {
    await sleep(lookMs);
    for (const app of this.apps) this.before.set(app, { ...(await stallsOf(app)), logged: app.log().length });
  }

  /**
   * Returns the stalls above the limit since `begin`, with the work in progress from the logs. Prints accepted stalls
   * of more than 200 ms.
   */
  async stalls(): Promise<string[]> {
    await sleep(lookMs);
    const excesses: string[] = [];
    for (const [app, before] of this.before) {
      const { count, tooLong } = await stallsOf(app);
      if (count === before.count) continue;
      const lines = app.log().slice(before.logged).split('\n');
      const said = lines.filter((line) => line.includes('"stall_ms"')).map((line) => `\n    ${line}`);
      const sentence = `${app.name}: its event loop stood ${count - before.count} times${said.join('')}`;
      if (tooLong > before.tooLong) excesses.push(sentence);
      else console.warn(`over 200 ms: ${sentence}`);
    }
    return excesses;
  }

  /** Starts measuring the growth of memory. */
  beginMemory(): void {
    for (const app of this.apps) {
      // On Linux this resets the peak of the resident memory.
      writeFileSync(`/proc/${app.pid}/clear_refs`, '5');
      this.kilobytes.set(app, memoryOf(app, 'VmRSS'));
    }
  }

  /** Returns the processes whose memory has grown above the limit since `beginMemory`. */
  growth(): string[] {
    return [...this.kilobytes].flatMap(([app, before]) => {
      const megabytes = Math.round((memoryOf(app, 'VmHWM') - before) / 1024);
      return megabytes > mostMegabytes ? [`${app.name}: grew by ${megabytes} MB`] : [];
    });
  }
}

async function stallsOf(app: Watched): Promise<Stalls> {
  const text = await (await fetch(new URL('/metrics', app.probeUrl))).text();
  const shown = text.matchAll(
    /^tributary_event_loop_stall_seconds_(bucket|count)\{(.*clock="cpu".*)\} (\S+)$/gm,
  );
  let [count, passing] = [Number.NaN, 0];
  for (const [, series, labels, value] of shown) {
    if (series === 'count') count = Number(value);
    else if (boundOf(labels!) <= mostStallMs / 1000) passing = Math.max(passing, Number(value));
  }
  if (Number.isNaN(count)) throw new Error(`${app.name} does not show its stalls`);
  return { count, tooLong: count - passing };
}

function boundOf(labels: string): number {
  return Number(/le="([^"]+)"/.exec(labels)?.[1]?.replace('+Inf', 'Infinity'));
}

function memoryOf(app: Watched, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${app.pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]);
}
