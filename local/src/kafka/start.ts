import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ManagedChildProcess, type RunningProcess } from '../engine/engine-process.js';
import { freePort, retryOnTakenPort } from '../engine/free-port.js';
import { privateFolder, storedSecret } from '../engine/private-files.js';
import { formatLikeEarlier, keepFormat, newKafkaId } from './data-folder.js';
import { archiveFlags, classArchive, fetchJars, kafkaDir } from './jars.js';
import { clientProperties, defaultNodeId, serverProperties, type KafkaOptions } from './properties.js';

/** A Kafka broker that runs as a child process. */
export interface RunningKafka extends RunningProcess {
  /** `host:port` */
  brokers: string;
  port: number;
}

/** Returns the password of a data folder, which is created once. A user who may read the folder may use the broker. */
export async function kafkaPassword(dataDir: string): Promise<string> {
  await privateFolder(dataDir);
  return storedSecret(join(dataDir, 'password'));
}

/**
 * Starts a real broker in KRaft mode and resolves when it serves clients. Fetches its jars first if they are missing.
 * If a port that it chose itself is taken, it chooses another.
 * @throws an Error with the last lines of its log if it ends instead.
 */
export async function startKafka(options: KafkaOptions): Promise<RunningKafka> {
  const jars = await fetchJars();
  if (options.port && options.controllerPort) return startBroker(options, jars);
  return retryOnTakenPort(() => startBroker(options, jars));
}

async function startBroker(options: KafkaOptions, jars: string): Promise<RunningKafka> {
  const choosePort = options.choosePort ?? freePort;
  const port = options.port ?? (await choosePort());
  const logsDir = join(options.dataDir, 'logs');
  const data = join(options.dataDir, 'data');
  await privateFolder(options.dataDir);
  await mkdir(logsDir, { recursive: true });
  const config = join(options.dataDir, 'server.properties');
  const controllerPort = options.controllerPort ?? (await choosePort());
  await writeFile(config, serverProperties({ ...options, port, controllerPort }), { mode: 0o600 });
  if (options.password !== undefined) {
    const client = join(options.dataDir, 'client.properties');
    await writeFile(client, clientProperties(options.password), { mode: 0o600 });
  }
  const classpath = ['-cp', join(jars, '*')];
  if (!existsSync(join(data, 'meta.properties'))) await format(data, { ...options, classpath, config });
  // POSIX's unit of the limit: blocks of 512 bytes.
  const { maxFileBytes } = options;
  const fileLimit = maxFileBytes === undefined ? '' : `ulimit -f ${Math.floor(maxFileBytes / 512)}; `;
  const java = ['java', ...javaFlags(options, logsDir), ...classpath, 'kafka.Kafka', config];
  const process_ = new ManagedChildProcess({
    name: 'Kafka',
    command: 'sh',
    args: ['-c', fileLimit + untilParentEnds, ...java],
    env: { LC_ALL: 'C', ...options.env },
    onLog: options.onLog,
    signal: options.signal,
  });
  await process_.ready((line) => line.includes('Kafka Server started'), 180_000);
  return Object.assign(process_, { brokers: `127.0.0.1:${port}`, port });
}

/**
 * A shell script that replaces itself by Java and leaves behind a reader of the standard input. The pipe of the
 * standard input closes when the process that started the broker ends for any reason, and the reader then sends
 * SIGTERM to the broker.
 */
const untilParentEnds =
  'exec 3<&0; (cat <&3; kill -TERM $$) >/dev/null 2>&1 & exec java "$@" 3<&- </dev/null';

function javaFlags(options: KafkaOptions, logsDir: string): string[] {
  const { heapMb = 512, shortLived = false } = options;
  return [
    ...(options.javaFlags ?? archiveFlags()),
    ...(shortLived ? ['-XX:TieredStopAtLevel=1'] : []),
    '-Xms128m',
    `-Xmx${heapMb}m`,
    // A broker without memory exits and is started again. Without this flag, a broker without memory would continue to
    // answer some requests and never recover.
    '-XX:+ExitOnOutOfMemoryError',
    '-XX:+UseG1GC',
    '-XX:MaxGCPauseMillis=20',
    // Returns unused memory to the system when the broker is idle.
    '-XX:G1PeriodicGCInterval=60000',
    '-XX:MinHeapFreeRatio=10',
    '-XX:MaxHeapFreeRatio=30',
    '-Djava.awt.headless=true',
    `-Dkafka.logs.dir=${logsDir}`,
    `-Dlog4j2.configurationFile=${join(kafkaDir, 'log4j2.xml')}`,
  ];
}

interface FormatOptions extends KafkaOptions {
  classpath: string[];
  /** The file with the broker's settings. */
  config: string;
}

async function format(folder: string, { classpath, config, ...options }: FormatOptions): Promise<void> {
  const { clusterId = newKafkaId(), shortLived = false, formatArgs, properties, signal } = options;
  const asUsual = shortLived && formatArgs === undefined;
  const nodeId = properties?.['node.id'] ?? defaultNodeId;
  if (asUsual && (await formatLikeEarlier(folder, { nodeId, clusterId }))) return;
  // The id may begin with a dash, which would be parsed as another option.
  const tool = ['kafka.tools.StorageTool', 'format', `--cluster-id=${clusterId}`, '--config', config];
  const flags = ['-XX:TieredStopAtLevel=1', ...archiveFlags(), ...classpath];
  const args = [...flags, ...tool, '--ignore-formatted', ...(formatArgs ?? [])];
  await promisify(execFile)('java', args, { signal });
  if (asUsual) await keepFormat(folder);
}

/** Starts a broker and stops it: Java writes the archive when it ends. Two that run at once do not disturb each other. */
export async function makeClassArchive(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-classes-'));
  const partial = `${classArchive()}.partial-${process.pid}`;
  try {
    const javaFlags = [`-XX:ArchiveClassesAtExit=${partial}`];
    const broker = await startKafka({ dataDir: folder, shortLived: true, javaFlags });
    await broker.stop();
    await rename(partial, classArchive());
  } finally {
    await rm(partial, { force: true });
    await rm(folder, { recursive: true, force: true });
  }
}
