import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HttpClient } from '#testkit';
import type { BenchContext } from './bench.js';

const portNames = [
  ...[
    'KAFKA_PORT',
    'CLICKHOUSE_PORT',
    'CLICKHOUSE_TCP_PORT',
    'INGEST_PORT',
    'MATERIALIZER_PORT',
    'PROCESSOR_PORT',
  ],
  ...['GATEWAY_CORE_PORT', 'GATEWAY_QUERY_PORT'],
];

/** Limit of the connections, and so of the concurrent requests, to each port. */
const connections = 64;

/** A part of each process's command line. */
const commands = {
  gateway: 'bundle/gateway.js',
  ingest: 'bundle/ingest.js',
  processor: 'bundle/processor.js',
  materializer: 'bundle/materializer.js',
  clickhouse: 'clickhouse/main',
  kafka: 'kafka.Kafka',
};
/** Name of a process of the benchmarked system. */
export type ProcessName = keyof typeof commands;
export const processNames = Object.keys(commands) as ProcessName[];

/** The whole system as started by `npm start`, with embedded engines of its own. */
export interface LocalSystem {
  core: HttpClient;
  ingest: HttpClient;
  /** HTTP client of the materializer's metrics. */
  materializer: HttpClient;
  processor: HttpClient;
  /** Returns the id of the process that currently runs under this name. */
  pidOf(name: ProcessName): number;
}

/**
 * Starts the system like `npm start`, calls the function with it, and always stops it. With `brokers`, it uses that Kafka
 * instead of one of its own.
 */
export async function withLocalSystem<T>(
  bench: BenchContext,
  use: (system: LocalSystem) => Promise<T>,
  { brokers = '' }: { brokers?: string } = {},
): Promise<T> {
  const [{ freePort }, { openLocalSystem }] = [
    await import('#local'),
    await import('../../local/src/start.js'),
  ];
  const folder = join(bench.folder, `local-${performance.now().toFixed(0)}`);
  const ports: Record<string, string> = {};
  for (const name of portNames) ports[name] = String(await freePort());
  const system = await openLocalSystem({
    env: { ...process.env, ...ports, KAFKA_BROKERS: brokers, CLICKHOUSE_URL: '', TRIBUTARY_DATA_DIR: folder },
    say: () => undefined,
    step: (_name, work) => work(),
  });
  try {
    await system.start();
    const client = (port: string) => new HttpClient(`http://127.0.0.1:${ports[port]}`, { connections });
    return await use({
      core: client('GATEWAY_CORE_PORT'),
      ingest: client('INGEST_PORT'),
      materializer: client('MATERIALIZER_PORT'),
      processor: client('PROCESSOR_PORT'),
      pidOf: (name) => pidIn(folder, commands[name]),
    });
  } finally {
    system.stop();
    await system.ended;
  }
}

function pidIn(folder: string, command: string): number {
  const processes = JSON.parse(readFileSync(join(folder, 'processes.json'), 'utf8')) as { pid: number }[];
  const found = processes.find(({ pid }) => commandOf(pid).includes(command));
  if (!found) throw new Error(`no process has ${command} in its command line`);
  return found.pid;
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
