import { mkdir, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ManagedChildProcess, type RunningProcess } from '../engine/engine-process.js';
import { freePort } from '../engine/free-port.js';
import { privateFolder, storedSecret } from '../engine/private-files.js';
import { clickHouseUsers } from '#store';
import { reservePort } from './reserved-port.js';
import { listenStatement, serverConfig, usersConfig, type ClusterConfig } from './server-config.js';

/** Folder, ports and memory limit of an embedded ClickHouse server. */
interface ClickHouseOptions {
  /** Data folder of ClickHouse, created if it does not exist. Only one process may use it at a time. */
  dataDir: string;
  /** Loopback address of the ports. Default: 127.0.0.1. */
  host?: string;
  /** Port of the HTTP interface. Default: a free port. */
  port?: number;
  /** Port of the native TCP interface. Default: a free port. */
  tcpPort?: number;
  /** Databases that the apps may create and use, `test_*` for all with this prefix. Default: all. */
  appDatabases?: readonly string[];
  /** Databases of tables that the user for analysts may read. Default: `tributary`. */
  analystDatabases?: readonly string[];
  /** Keeps `system.query_log` and `system.part_log` until the next start, at most for a day. Default: false. */
  logsQueries?: boolean;
  /** The cluster that the server belongs to. Default: none. */
  cluster?: ClusterConfig;
  /** Passwords of the users. Default: those of the data folder. */
  passwords?: ClickHousePasswords;
  /** Bytes that the server may allocate; default 4 GiB. */
  maxMemoryBytes?: number;
  /** Additional environment variables. */
  env?: Record<string, string>;
  /** Receives each line that the process prints. */
  onLog?: (line: string) => void;
  /** After more aborts within a minute, the server is not started again. Default: 20. */
  mostAborts?: number;
  /** Called when the server runs again after an abort, with another process id. */
  onRestart?: (() => void) | undefined;
  /** If aborted during the start, the process is stopped. */
  signal?: AbortSignal | undefined;
}

/** Passwords of the users `tributary`, of the apps, and `sql`, as whom statements of analysts run. */
export interface ClickHousePasswords {
  password: string;
  analystPassword: string;
}

/**
 * An embedded ClickHouse server that runs as a child process. Its `pid` changes when ClickHouse aborts and is started again.
 * `stop` waits for running statements.
 */
export interface RunningClickHouse extends RunningProcess, ClickHousePasswords {
  url: string;
  port: number;
  tcpPort: number;
}

/** Matches the line that ClickHouse prints when it begins to abort. */
const aborting = /<Fatal> .*Terminate called for uncaught exception/;

/**
 * Matches lines that say nothing to a user: control sequences of the prompt, "Bye.", and addresses of the stack of an abort,
 * which has no names of functions.
 */
const noise =
  /^(?:\p{Cc}?\[\?2004[hl])+(?:Bye\.)?$|<Fatal> ClientBase: *(?:$|\d+\. |#|Stack trace|Sent by|Signal description|\(version [^)]*\)$)/u;

/** Time in milliseconds in which `mostAborts` are counted. */
const abortWindowMs = 60_000;

const startMs = 120_000;
const stopMs = 25_000;

/** Milliseconds between two checks that the ports are open: everybody who reaches a port can close them. */
const watchMs = 400;

/** Returns the passwords of a data folder, which are made once. A user who may read the folder may use the server. */
export async function clickHousePasswords(dataDir: string): Promise<ClickHousePasswords> {
  await privateFolder(dataDir);
  return {
    password: await storedSecret(join(dataDir, 'password')),
    analystPassword: await storedSecret(join(dataDir, 'sql-password')),
  };
}

/**
 * Starts ClickHouse's own server and resolves when it answers. A request that breaks off within its header makes ClickHouse
 * 26.7 abort in this mode, whoever sends it. The server is then started again with its data, as after `kill -9`.
 * @throws an Error with its output if the process ends before it answers, and an Error if a port is in use
 */
export async function startClickHouse(options: ClickHouseOptions): Promise<RunningClickHouse> {
  const dataDir = resolve(options.dataDir);
  const { host = '127.0.0.1', passwords = await clickHousePasswords(dataDir) } = options;
  const ports = [options.port ?? (await freePort()), options.tcpPort ?? (await freePort())] as const;
  const releases: (() => void)[] = [];
  const release = () => {
    for (const one of releases.splice(0)) one();
  };
  try {
    for (const port of ports) releases.push(await reservePort(port, host));
    const args = [
      fileURLToPath(new URL('main.js', import.meta.url)),
      ...(await serverArguments({ ...options, dataDir }, passwords)),
      ...['--http_port', String(ports[0]), '--tcp_port', String(ports[1])],
    ];
    const url = `http://${host}:${ports[0]}`;
    const isReady = answers(url, passwords.password);
    const server = new AbortingServer({ ...options, dataDir, args, host, ports, isReady });
    await server.launch();
    return {
      url,
      port: ports[0],
      tcpPort: ports[1],
      ...passwords,
      get pid() {
        return server.pid;
      },
      ended: server.untilEnded().finally(release),
      stop: () => server.stop(),
      kill: (signal) => server.kill(signal),
    };
  } catch (error) {
    release();
    throw error;
  }
}

interface AbortingServerOptions extends ClickHouseOptions {
  args: string[];
  host: string;
  ports: readonly number[];
  isReady: (signal: AbortSignal) => Promise<void>;
}

/** The process of the server, which is started again after each abort. */
class AbortingServer {
  private process_!: ManagedChildProcess;
  /** True when the running process has begun to abort. */
  private aborts = false;
  private stopping = false;
  /** Times of the latest aborts, in milliseconds. */
  private times: number[] = [];

  constructor(private readonly options: AbortingServerOptions) {}

  get pid(): number {
    return this.process_.pid;
  }

  async launch(): Promise<void> {
    const { dataDir, args, host, ports, env, onLog, signal } = this.options;
    const launched = new ManagedChildProcess({
      name: 'ClickHouse',
      command: process.execPath,
      args,
      // A dumb terminal gets no control sequences.
      env: { TZ: 'UTC', TERM: 'dumb', ...env },
      onLog: (line) => {
        if (!noise.test(line)) onLog?.(line);
        if (!aborting.test(line)) return;
        // An abort takes three seconds, in which the server answers nothing.
        this.aborts = true;
        void launched.kill('SIGKILL');
      },
      signal,
    });
    [this.process_, this.aborts] = [launched, false];
    await launched.until(this.options.isReady, startMs);
    // This mode keeps no definitions of the tables in `system`: their earlier files would be an obstacle to the same logs, and
    // no TTL would remove them. The server that holds the folder makes the tables some seconds later.
    await rm(join(dataDir, 'store', 'data', 'system'), { recursive: true, force: true }).catch(
      (error: Error) => onLog?.(`The logs of earlier starts could not be removed: ${error.message}`),
    );
    keepListening(launched, host, ports);
  }

  /** Starts the process again when it has aborted. Resolves with the reason why it has ended otherwise, or ends too often. */
  async untilEnded(): Promise<string> {
    for (;;) {
      const reason = await this.process_.ended;
      if (this.stopping || !this.aborts || this.options.signal?.aborted) return reason;
      const now = performance.now();
      this.times = [...this.times.filter((time) => now - time < abortWindowMs), now];
      if (this.times.length > (this.options.mostAborts ?? 20))
        return `it aborted ${this.times.length} times within a minute`;
      this.options.onLog?.('ClickHouse has aborted, and is started again.');
      const failure = await this.launch().catch((error: Error) => error);
      if (failure) return failure.message;
      this.options.onRestart?.();
    }
  }

  /** Ends the standard input: the server then waits for running statements. */
  async stop(): Promise<void> {
    this.stopping = true;
    await this.process_.stop(stopMs, 'end of input');
  }

  async kill(signal: NodeJS.Signals): Promise<void> {
    this.stopping ||= signal !== 'SIGSTOP' && signal !== 'SIGCONT';
    await this.process_.kill(signal);
  }
}

/** Writes the configuration into the data folder, and returns the arguments of `clickhouse-local` without the ports. */
async function serverArguments(
  { dataDir, appDatabases = ['*'], analystDatabases = ['tributary'], ...options }: ClickHouseOptions,
  passwords: ClickHousePasswords,
): Promise<string[]> {
  const path = join(dataDir, 'store');
  const [configFile, usersFile] = [join(dataDir, 'config.xml'), join(dataDir, 'users.xml')];
  await mkdir(path, { recursive: true });
  const { maxMemoryBytes = 4 * 2 ** 30, logsQueries = false, host = '127.0.0.1', cluster } = options;
  const config = serverConfig({ usersFile, maxMemoryBytes, logsQueries, cluster });
  await writeFile(configFile, config, { mode: 0o600 });
  const users = usersConfig({
    ...passwords,
    ...{ appDatabases, analystDatabases, isShard: cluster !== undefined },
  });
  await writeFile(usersFile, users, { mode: 0o600 });
  return [
    `--config-file=${configFile}`,
    `--path=${path}`,
    ...['--listen_host', host, '--log-level', 'fatal'],
    // No suggestions. The file of the history is not /dev/null, whose permissions ClickHouse would change as root.
    ...['-A', '--history_file', join(dataDir, 'history')],
    // After the statement the server reads further ones from its standard input, and ends when that ends.
    ...['--interactive', '--query', listenStatement],
  ];
}

/** Returns a condition that resolves when the server answers the user of the apps. */
function answers(url: string, password: string): (signal: AbortSignal) => Promise<void> {
  const headers = { 'X-ClickHouse-User': clickHouseUsers.apps, 'X-ClickHouse-Key': password };
  return async (signal) => {
    const ask = () =>
      fetch(url, { method: 'POST', body: 'SELECT 1', headers, signal }).catch(() => undefined);
    while (!signal.aborted && !(await ask())?.ok) await sleep(20);
  };
}

/** Opens the ports again when somebody has closed one of them. Ends with the process. */
function keepListening(server: ManagedChildProcess, host: string, ports: readonly number[]): void {
  const timer = setInterval(() => {
    void Promise.all(ports.map((port) => isOpen(port, host))).then((open) => {
      if (open.includes(false)) server.writeInput(`${listenStatement};\n`);
    });
  }, watchMs);
  timer.unref();
  void server.ended.then(() => clearInterval(timer));
}

function isOpen(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
