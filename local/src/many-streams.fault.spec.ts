import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testsAll } from '#testkit';
import { freePort } from './engine/free-port.js';
import { portNames } from './settings.js';
import { openLocalSystem, type LocalProcesses } from './start.js';

/** Higher values, and some idle minutes, are for manual runs. */
const streamCount = Number(process.env.MANY_STREAMS ?? (testsAll ? 150 : 20));
const idleSeconds = Number(process.env.MANY_STREAMS_IDLE_SECONDS ?? 5);
const patience = { timeout: 240_000, interval: 250 };
const json = { 'content-type': 'application/json' };
const names = ['kafka.Kafka', 'clickhouse', 'ingest', 'materializer', 'processor', 'gateway'];

interface Usage {
  pid: number;
  megabytes: number;
  /** Processor time since the start of the process. */
  seconds: number;
}

describe(`the local system with ${streamCount} streams`, () => {
  const streams = Array.from({ length: streamCount }, (_, i) => `many-${i}`);
  const some = [0, 0.25, 0.5, 0.75, 1].map((part) => streams[Math.floor(part * (streamCount - 1))] as string);
  const said: string[] = [];
  let folder: string;
  const ports: Record<string, string> = {};
  let system: LocalProcesses;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tributary-many-'));
    for (const name of portNames) ports[name] = String(await freePort());
    system = await openLocalSystem({
      env: { ...process.env, ...ports, KAFKA_BROKERS: '', CLICKHOUSE_URL: '', TRIBUTARY_DATA_DIR: folder },
      say: (line) => void said.push(line),
      step: (_name, work) => work(),
    });
    await system.start();
  });
  afterAll(async () => {
    system?.stop();
    await system?.ended;
    await rm(folder, { recursive: true, force: true });
  });

  async function usage(): Promise<Map<string, Usage>> {
    const text = await readFile(join(folder, 'processes.json'), 'utf8');
    const pids = (JSON.parse(text) as { pid: number }[]).map(({ pid }) => pid);
    const lines = execFileSync('ps', ['-ww', '-o', 'pid=,rss=,time=,args=', '-p', pids.join(',')], {
      encoding: 'utf8',
    });
    const found = lines.trim().split('\n').map(parsedUsage);
    return new Map(
      names.flatMap((name) => {
        const one = found.find(({ args }) => args.includes(name));
        return one ? [[name, one] as const] : [];
      }),
    );
  }

  const write = async (stream: string, number: number): Promise<number> => {
    const event = { stream, event_type: 'counted', event_id: randomUUID(), data: { number } };
    const url = `http://127.0.0.1:${ports['INGEST_PORT']}/api/v1/events`;
    const answer = await fetch(url, { method: 'POST', headers: json, body: JSON.stringify(event) });
    return answer.status;
  };
  const read = async (stream: string): Promise<unknown[]> => {
    const url = `http://127.0.0.1:${ports['GATEWAY_CORE_PORT']}/api/v1/events/query?stream=${stream}`;
    const { events } = (await (await fetch(url)).json()) as { events?: { data: { number: number } }[] };
    return (events ?? []).map(({ data }) => data.number);
  };

  it('can query events of all streams', async () => {
    const url = `http://127.0.0.1:${ports['GATEWAY_CORE_PORT']}/api/v1/streams`;
    const made = streams.values();
    const maker = async (): Promise<void> => {
      for (const stream of made) {
        const body = JSON.stringify({ stream });
        const { status } = await fetch(url, { method: 'POST', headers: json, body });
        expect(status).toBe(201);
      }
    };
    await Promise.all(Array.from({ length: 4 }, maker));
    for (const stream of some) {
      expect(await write(stream, 1)).toBe(201);
      await expect.poll(() => read(stream), patience).toEqual([1]);
    }
  });

  it('reports its cost while nothing is written', async () => {
    const before = await usage();
    await sleep(idleSeconds * 1_000);
    const after = await usage();
    expect([...after.keys()]).toEqual(names);
    const lines = [...after].map(([name, { megabytes, seconds }]) => {
      const used = (seconds - (before.get(name)?.seconds ?? 0)) / idleSeconds;
      return `${name}: ${megabytes} MB, ${(used * 100).toFixed(1)} % of a core`;
    });
    process.stderr.write(`${streamCount} streams, idle for ${idleSeconds} s\n  ${lines.join('\n  ')}\n`);
  });

  it('recovers by itself when the broker dies', async () => {
    const before = await usage();
    process.kill(before.get('kafka.Kafka')?.pid ?? 0, 'SIGKILL');
    await expect.poll(() => said.join('\n'), patience).toContain('kafka is started again');
    for (const stream of some) {
      await expect.poll(() => write(stream, 2).catch(() => 0), patience).toBe(201);
      await expect.poll(() => read(stream), patience).toEqual(expect.arrayContaining([1, 2]));
    }
    const after = await usage();
    for (const name of names.slice(1)) expect(after.get(name)?.pid).toBe(before.get(name)?.pid);
  });
});

/** Parses a line of `ps`: pid, kilobytes, `[hh:]mm:ss`, the command. */
function parsedUsage(line: string): Usage & { args: string } {
  const [pid = '', rss = '', time = '', ...args] = line.trim().split(/\s+/);
  const seconds = time.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
  return { pid: Number(pid), megabytes: Math.round(Number(rss) / 1024), seconds, args: args.join(' ') };
}
