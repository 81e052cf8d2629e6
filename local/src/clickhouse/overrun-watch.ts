import { Worker } from 'node:worker_threads';

/** How long a statement may run after its time limit, and which process is then killed. */
export interface OverrunWatchOptions {
  /** Seconds after its time limit for which a statement may still run. */
  graceSeconds: number;
  /** The process to kill, and to whose error output the reason is written. */
  pid: number;
}

/** Message to the thread of the watch: a statement started with this limit of seconds, or ended (undefined). */
export interface OverrunWorkerMessage {
  id: number;
  seconds: number | undefined;
}

/**
 * Kills the process of the embedded ClickHouse when a statement cannot be cancelled: ClickHouse checks time limits and
 * cancellations between blocks of rows, so one call of a function over huge values may take hours. The process is then
 * started again, and its files survive a kill. The watch runs in a thread of its own, because chdb analyses some
 * statements on the main thread.
 */
export class OverrunWatch {
  private readonly worker: Worker;
  private statements = 0;

  constructor(limits: OverrunWatchOptions) {
    this.worker = new Worker(new URL('overrun-worker.js', import.meta.url), {
      workerData: limits,
      // Not the modules that the main thread imports at its start.
      execArgv: [],
    });
    this.worker.unref();
  }

  /** Watches a statement with this time limit in seconds. Returns a function that ends the watch. */
  watch(seconds: number): () => void {
    const id = (this.statements += 1);
    const tell = (message: OverrunWorkerMessage) => this.worker.postMessage(message);
    tell({ id, seconds });
    return () => tell({ id, seconds: undefined });
  }
}
