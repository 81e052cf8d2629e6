import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { EngineProcess } from '../engine-process.js';
import { freePort } from '../free-port.js';
import { keptSecret } from '../folder-secret.js';
import { onOwnPorts } from '../own-ports.js';
import { privateFolder } from '../private-folder.js';
import { archiveFlags } from './class-archive.js';
import { fetchJars, kafkaDir } from './jars.js';
import { clientProperties, serverProperties } from './properties.js';

export interface KafkaOptions {
  /** Made where there is none. One broker at a time. */
  dataDir: string;
  /** What the user `tributary` proves itself with (SASL/PLAIN); without one, nobody has to. */
  password?: string;
  /** Default: a free one. */
  port?: number;
  /** The port of the controller's own listener; default: a free one. */
  controllerPort?: number;
  /** Who chooses ports that are not given; default: `freePort`. */
  choosePort?: () => Promise<number>;
  /** The port that clients are told to connect to; default: `port`. For a proxy in between. */
  advertisedPort?: number;
  /** The largest heap, in MB; default 512. */
  heapMb?: number;
  /** Kafka's own settings, by their names, on top of those of this broker or in their place. */
  properties?: Record<string, string | number>;
  /** Of a cluster that this broker belongs to; default: one of its own. */
  clusterId?: string;
  /** For the tool that prepares the data folder, such as `--add-scram`. */
  formatArgs?: string[];
  /** For a broker that lives a minute: it is compiled quickly rather than well, and takes half the processor to start. */
  shortLived?: boolean;
  /** Java's own flags, in place of those that use the archive of classes. */
  javaFlags?: string[];
  /** No file may grow beyond this: a write that does fails, as all do on a disk that is full. */
  maxFileBytes?: number;
  /** Each line that the broker prints: errors, and that it has started. */
  onLog?: (line: string) => void;
  /** Aborted when it is not wanted any more while it starts: it is stopped then. */
  signal?: AbortSignal | undefined;
}

export interface RunningKafka {
  /** `host:port` */
  brokers: string;
  port: number;
  pid: number;
  /** Resolves when it has ended, with how. */
  ended: Promise<string>;
  /** An orderly shutdown. */
  stop(): Promise<void>;
  /** Sends a signal and resolves when the process has ended (for SIGSTOP and SIGCONT: at once). */
  kill(signal: NodeJS.Signals): Promise<void>;
}

/** The password of a data folder, made once: whoever may read the folder may use the broker. */
export async function kafkaPassword(dataDir: string): Promise<string> {
  await privateFolder(dataDir);
  return keptSecret(join(dataDir, 'password'));
}

/**
 * Starts the real broker in KRaft mode and resolves when it serves clients; fetches its jars first if need be. When a
 * port of its own choice turns out to be taken, it chooses again.
 * @throws with the last lines of its log when it ends instead.
 */
export async function startKafka(options: KafkaOptions): Promise<RunningKafka> {
  const jars = await fetchJars();
  if (options.port && options.controllerPort) return startBroker(options, jars);
  return onOwnPorts(() => startBroker(options, jars));
}

async function startBroker(options: KafkaOptions, jars: string): Promise<RunningKafka> {
  const choosePort = options.choosePort ?? freePort;
  const port = options.port ?? (await choosePort());
  const logsDir = join(options.dataDir, 'logs');
  const data = join(options.dataDir, 'data');
  await privateFolder(options.dataDir);
  await mkdir(logsDir, { recursive: true });
  const config = join(options.dataDir, 'server.properties');
  const settings = {
    dataDir: data,
    port,
    controllerPort: options.controllerPort ?? (await choosePort()),
    advertisedPort: options.advertisedPort ?? port,
    password: options.password,
    ...(options.properties && { more: options.properties }),
  };
  await writeFile(config, serverProperties(settings), { mode: 0o600 });
  if (options.password !== undefined) {
    const client = join(options.dataDir, 'client.properties');
    await writeFile(client, clientProperties(options.password), { mode: 0o600 });
  }
  const classpath = ['-cp', join(jars, '*')];
  if (!existsSync(join(data, 'meta.properties'))) await format(classpath, config, options);
  const process_ = new EngineProcess({
    name: 'Kafka',
    command: 'sh',
    args: [
      '-c',
      `${fileLimit(options.maxFileBytes)}${untilParentEnds}`,
      'java',
      ...javaFlags(options, logsDir),
      ...classpath,
      'kafka.Kafka',
      config,
    ],
    env: { LC_ALL: 'C' },
    onLog: options.onLog,
    signal: options.signal,
  });
  await process_.ready((line) => (line.includes('Kafka Server started') ? line : undefined), 180_000);
  return {
    brokers: `127.0.0.1:${port}`,
    port,
    pid: process_.pid,
    ended: process_.ended,
    stop: () => process_.stop(30_000),
    kill: (signal) => process_.kill(signal),
  };
}

/**
 * Becomes Java, and leaves behind a reader of the standard input: that pipe closes when the process that started the
 * broker ends, however it ends, and the broker is told to stop.
 */
const untilParentEnds =
  'exec 3<&0; (cat <&3; kill -TERM $$) >/dev/null 2>&1 & exec java "$@" 3<&- </dev/null';

/** In the unit that POSIX has for it: blocks of 512 bytes. */
function fileLimit(maxFileBytes: number | undefined): string {
  return maxFileBytes === undefined ? '' : `ulimit -f ${Math.floor(maxFileBytes / 512)}; `;
}

function javaFlags(options: KafkaOptions, logsDir: string): string[] {
  const { heapMb = 512, shortLived = false } = options;
  return [
    ...(options.javaFlags ?? archiveFlags()),
    ...(shortLived ? ['-XX:TieredStopAtLevel=1'] : []),
    '-Xms128m',
    `-Xmx${heapMb}m`,
    // A broker without memory ends, and is started again: one that goes on without it answers some, and never recovers.
    '-XX:+ExitOnOutOfMemoryError',
    '-XX:+UseG1GC',
    '-XX:MaxGCPauseMillis=20',
    // Gives memory back to the system when idle.
    '-XX:G1PeriodicGCInterval=60000',
    '-XX:MinHeapFreeRatio=10',
    '-XX:MaxHeapFreeRatio=30',
    '-Djava.awt.headless=true',
    `-Dkafka.logs.dir=${logsDir}`,
    `-Dlog4j2.configurationFile=${join(kafkaDir, 'log4j2.xml')}`,
  ];
}

async function format(
  classpath: string[],
  config: string,
  { formatArgs = [], signal, clusterId }: KafkaOptions,
): Promise<void> {
  const id = clusterId ?? randomBytes(16).toString('base64url');
  // The id may begin with a dash, which would be read as another option.
  const args = [...classpath, 'kafka.tools.StorageTool', 'format', `--cluster-id=${id}`, '--config', config];
  const java = ['-XX:TieredStopAtLevel=1', ...archiveFlags(), ...args, '--ignore-formatted', ...formatArgs];
  await promisify(execFile)('java', java, { signal });
}
