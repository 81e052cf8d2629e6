import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ManagedChildProcess } from '../engine-process.js';
import { storedSecret } from '../folder-secret.js';
import { privateFolder } from '../private-folder.js';

/** Folder, port and memory limit of an embedded ClickHouse process. */
interface ClickHouseOptions {
  /** Data folder of ClickHouse, created if it does not exist. Only one process may use it at a time. */
  dataDir: string;
  /** Default: a free port. */
  port?: number;
  /** Bytes that the engine may allocate; default 4 GiB. */
  maxMemoryBytes?: number;
  /** Seconds after its time limit at which a statement of an analyst ends the process; default 60. */
  overrunSeconds?: number;
  /** Receives each line that the process prints. */
  onLog?: (line: string) => void;
  /** If aborted during the start, the process is stopped. */
  signal?: AbortSignal | undefined;
}

/** An embedded ClickHouse that runs as a child process: its URL and password, and how to stop it. */
export interface RunningClickHouse {
  url: string;
  port: number;
  /** The password of the user `default`. */
  password: string;
  pid: number;
  /** Resolves with the reason when the process has ended. */
  ended: Promise<string>;
  /** Waits for running statements, then closes the engine. */
  stop(): Promise<void>;
  /** Sends a signal and resolves when the process has ended (for SIGSTOP and SIGCONT: at once). */
  kill(signal: NodeJS.Signals): Promise<void>;
}

/** Returns the password of a data folder, which is created once. A user who may read the folder may use the engine. */
export async function clickHousePassword(dataDir: string): Promise<string> {
  await privateFolder(dataDir);
  return storedSecret(join(dataDir, 'password'));
}

/** Starts the embedded ClickHouse and resolves when it answers. @throws an Error with its output if it ends instead. */
export async function startClickHouse(options: ClickHouseOptions): Promise<RunningClickHouse> {
  const password = await clickHousePassword(options.dataDir);
  const process_ = new ManagedChildProcess({
    name: 'ClickHouse',
    command: process.execPath,
    args: [
      '--import',
      new URL('../stop-with-parent.js', import.meta.url).href,
      fileURLToPath(new URL('main.js', import.meta.url)),
      options.dataDir,
      String(options.port ?? 0),
    ],
    env: {
      // One thread for each connection, and some for files.
      UV_THREADPOOL_SIZE: '24',
      TZ: 'UTC',
      CLICKHOUSE_PASSWORD: password,
      CLICKHOUSE_MEMORY_BYTES: String(options.maxMemoryBytes ?? 4 * 2 ** 30),
      CLICKHOUSE_OVERRUN_SECONDS: String(options.overrunSeconds ?? 60),
    },
    onLog: options.onLog,
    signal: options.signal,
  });
  const ready = await process_.ready((line) => /^ready (\d+)$/.exec(line)?.[1], 120_000);
  const port = Number(ready);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    password,
    pid: process_.pid,
    ended: process_.ended,
    stop: () => process_.stop(25_000),
    kill: (signal) => process_.kill(signal),
  };
}
