import { writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import type { OverrunWatchOptions, OverrunWorkerMessage } from './overrun-watch.js';

const { graceSeconds, pid } = workerData as OverrunWatchOptions;
/** The remaining seconds of each running statement. Counted in ticks: a pause of this process does not count. */
const left = new Map<number, number>();

parentPort?.on('message', ({ id, seconds }: OverrunWorkerMessage) => {
  if (seconds === undefined) left.delete(id);
  else left.set(id, Math.ceil(seconds) + graceSeconds);
});

setInterval(() => {
  for (const [id, seconds] of left) {
    left.set(id, seconds - 1);
    if (seconds > 0) continue;
    // The console of a worker needs the main thread, which may be blocked.
    writeSync(
      2,
      `A statement of an analyst still ran ${graceSeconds} s after its time limit and could not be cancelled\n`,
    );
    process.kill(pid, 'SIGKILL');
  }
}, 1_000);
