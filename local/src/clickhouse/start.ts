import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EngineProcess } from '../engine-process.js';
import { keptSecret } from '../folder-secret.js';
import { privateFolder } from '../private-folder.js';

export interface ClickHouseOptions {
  /** Made where there is none. One process at a time. */
  dataDir: string;
  /** Default: a free one. */
  port?: number;
  /** What the engine may allocate; default 4 GiB. */
  maxMemoryBytes?: number;
  /** Each line that the process prints. */
  onLog?: (line: string) => void;
  /** Aborted when it is not wanted any more while it starts: it is stopped then. */
  signal?: AbortSignal | undefined;
}

export interface RunningClickHouse {
  url: string;
  port: number;
  /** Of the user `default`. */
  password: string;
  pid: number;
  /** Resolves when it has ended, with how. */
  ended: Promise<string>;
  /** Lets running statements end, then closes. */
  stop(): Promise<void>;
  /** Sends a signal and resolves when the process has ended (for SIGSTOP and SIGCONT: at once). */
  kill(signal: NodeJS.Signals): Promise<void>;
}

/** The password of a data folder, made once: whoever may read the folder may ask the engine. */
export async function clickHousePassword(dataDir: string): Promise<string> {
  await privateFolder(dataDir);
  return keptSecret(join(dataDir, 'password'));
}

/** Starts the embedded ClickHouse and resolves when it answers. @throws with what it printed when it ends instead. */
export async function startClickHouse(options: ClickHouseOptions): Promise<RunningClickHouse> {
  const password = await clickHousePassword(options.dataDir);
  const process_ = new EngineProcess({
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
