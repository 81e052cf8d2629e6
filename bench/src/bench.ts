import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Stack } from '#testkit';
import type { Engines } from './engines.js';
import type { BenchOptions } from './options.js';
import { usageOf } from './process-usage.js';
import { profilingEnv, toggleProfiles } from './profiling/control.js';
import { benchEvents } from './workload.js';

export const partitions = 8;

/** What every measure works with. */
export interface Bench {
  options: BenchOptions;
  engines: Engines;
  /** For files of this run; removed at its end. */
  folder: string;
  /** What stays between runs: Kafka's tools, profiles. */
  keptFolder: string;
  /** Events of the workload, one on each line. */
  payloadFile: string;
  say(text: string): void;
}

/** Writes the workload's events for the baselines that read them from a file. */
export function writePayload(folder: string): string {
  const file = join(folder, 'events.ndjson');
  const lines = benchEvents(50_000, { stream: 'bench', seed: 1 }).map((event) => JSON.stringify(event));
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}

/** The system with names and ports of its own, on the bench's engines. Nothing is started. */
export function prepareStack(bench: Bench, more: { processors?: number } = {}): Promise<Stack> {
  return Stack.prepare({
    ...more,
    brokers: bench.engines.brokers,
    clickhouseUrl: bench.engines.clickhouseUrl,
    clickhousePassword: bench.engines.clickhousePassword,
    env: {
      STREAM_PARTITIONS: String(partitions),
      ...(bench.options.profile && profilingEnv(profileFolder(bench))),
    },
  });
}

/** Starts the system, hands it over, and stops it whatever happens. */
export async function withStack<T>(
  bench: Bench,
  use: (stack: Stack) => Promise<T>,
  more: { processors?: number } = {},
): Promise<T> {
  const stack = await prepareStack(bench, more);
  try {
    for (const app of stack.apps) app.launch();
    await Promise.all(stack.apps.map((app) => app.ready()));
    return await use(stack);
  } finally {
    await stack.stop();
  }
}

/** What came of a piece of work, and what it cost the apps that run: processor seconds by name. */
export interface Observed<T> {
  result: T;
  cpuSeconds: Record<string, number>;
}

/** Does the work with an eye on the apps that run, and profiles them when profiles are wanted. */
export async function observed<T>(bench: Bench, stack: Stack, work: () => Promise<T>): Promise<Observed<T>> {
  const apps = stack.apps.filter((app) => app.running);
  const toggle = () => bench.options.profile && toggleProfiles(apps.map((app) => app.pid));
  toggle();
  const before = apps.map((app) => usageOf(app.pid).cpuSeconds);
  const result = await work();
  const spent = apps.map((app, index) => [app.name, usageOf(app.pid).cpuSeconds - before[index]!]);
  toggle();
  return { result, cpuSeconds: Object.fromEntries(spent) as Record<string, number> };
}

/** Creates the stream, so that no measure includes it. */
export async function createStream(
  stack: Pick<Stack, 'core'>,
  stream: string,
  settings: { snapshot_every?: number } = {},
): Promise<void> {
  const { status, text } = await stack.core.post('/api/v1/streams', { stream, partitions, ...settings });
  if (status !== 201) throw new Error(`the stream was not created: ${status} ${text}`);
}

/** `work` as often as there are runs, one after the other. */
export async function eachRun<T>(bench: Bench, work: (run: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let run = 1; run <= bench.options.runs; run++) {
    bench.say(`run ${run} of ${bench.options.runs}`);
    results.push(await work(run));
  }
  return results;
}

function profileFolder(bench: Bench): string {
  const folder = resolve(bench.keptFolder, 'profiles');
  mkdirSync(folder, { recursive: true });
  return folder;
}
