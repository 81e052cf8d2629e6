import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { TestSystem, type ClickHouseCluster } from '#testkit';
import type { BenchEngines } from './engines.js';
import type { BenchOptions } from './options.js';
import { usageOf } from './process-usage.js';
import { profilingEnv, toggleProfiles } from './profiling/control.js';
import { benchEvents } from './workload.js';

export const partitions = 8;

/** What every measure of the benchmark gets: options, engines, folders, and the file with the workload's events. */
export interface BenchContext {
  options: BenchOptions;
  engines: BenchEngines;
  /** A folder for files of this run; removed at its end. */
  folder: string;
  /** A folder for files that remain between runs: Kafka's tools, profiles. */
  keptFolder: string;
  /** A file with the events of the workload, one on each line. */
  payloadFile: string;
  say(text: string): void;
}

/** Writes the workload's events to a file for the baselines. */
export function writePayload(folder: string): string {
  const file = join(folder, 'events.ndjson');
  const lines = benchEvents(50_000, { stream: 'bench', seed: 1 }).map((event) => JSON.stringify(event));
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}

/** Number of processors of a system, and settings of all its apps. */
export interface SystemOptions {
  materializers?: number;
  processors?: number;
  /** Instead of the benchmark's ClickHouse server. */
  cluster?: ClickHouseCluster | undefined;
  env?: Record<string, string>;
}

/** Returns the system with names and ports of its own, on the benchmark's engines. Starts no process. */
export function prepareStack(
  bench: BenchContext,
  { env, cluster, ...more }: SystemOptions = {},
): Promise<TestSystem> {
  return TestSystem.prepare({
    ...more,
    brokers: bench.engines.brokers,
    clickhouseUrl: cluster?.url ?? bench.engines.clickhouseUrl,
    clickhousePassword: cluster?.password ?? bench.engines.clickhousePassword,
    ...(cluster && { clickhouseCluster: cluster.name }),
    unbundled: bench.options.profile,
    env: {
      STREAM_PARTITIONS: String(partitions),
      ...passedOn('CLICKHOUSE_FSYNC_AFTER_INSERT', 'NODE_OPTIONS', 'PROCESSOR_THREADS'),
      ...(bench.options.profile && profilingEnv(profileFolder(bench))),
      ...env,
    },
  });
}

/** Returns those of the settings that the environment of the benchmark has. */
function passedOn(...names: string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] ? [[name, process.env[name]] as const] : [])),
  );
}

/** Starts the system, calls the function with it, and always stops it. */
export async function withStack<T>(
  bench: BenchContext,
  use: (stack: TestSystem) => Promise<T>,
  more: SystemOptions = {},
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

/** The result of a piece of work, and the processor seconds of each running app by name. */
export interface ResultWithCpuTime<T> {
  result: T;
  cpuSeconds: Record<string, number>;
}

/** Runs the work and measures the running apps. Writes CPU profiles of the apps if the options request it. */
export async function observed<T>(
  bench: BenchContext,
  stack: TestSystem,
  work: () => Promise<T>,
): Promise<ResultWithCpuTime<T>> {
  const apps = stack.apps.filter((app) => app.running);
  const toggle = () => bench.options.profile && toggleProfiles(apps.map((app) => app.pid));
  toggle();
  const before = apps.map((app) => usageOf(app.pid).cpuSeconds);
  const result = await work();
  const spent = apps.map((app, index) => [app.name, usageOf(app.pid).cpuSeconds - before[index]!]);
  toggle();
  return { result, cpuSeconds: Object.fromEntries(spent) as Record<string, number> };
}

/** Creates the stream before the measurement. */
export async function createStream(
  stack: Pick<TestSystem, 'core'>,
  stream: string,
  settings: { snapshot_every?: number } = {},
): Promise<void> {
  const { status, text } = await stack.core.post('/api/v1/streams', { stream, partitions, ...settings });
  if (status !== 201) throw new Error(`the stream was not created: ${status} ${text}`);
}

/** Runs `work` once for each run, one after the other. */
export async function eachRun<T>(bench: BenchContext, work: (run: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let run = 1; run <= bench.options.runs; run++) {
    bench.say(`run ${run} of ${bench.options.runs}`);
    results.push(await work(run));
  }
  return results;
}

function profileFolder(bench: BenchContext): string {
  const folder = resolve(bench.keptFolder, 'profiles');
  mkdirSync(folder, { recursive: true });
  return folder;
}
