import { openSync, readSync } from 'node:fs';

/**
 * Returns a clock of the processor time that the main thread has used, in milliseconds. The clock stands still while
 * the thread waits or is stopped, and while other processes use the processor.
 *
 * Linux provides it in `/proc/self/task/<thread>/schedstat`: `<ns on the processor> <ns waiting for it> <time slices>`;
 * the main thread's id is the process id. On other systems it is the time of the whole process, which is an upper
 * bound.
 */
export function threadClock(): () => number {
  try {
    const file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
    const text = Buffer.alloc(128);
    const read = (): number =>
      Number.parseInt(text.toString('latin1', 0, readSync(file, text, 0, 128, 0)), 10) / 1e6;
    if (read() > 0) return read;
  } catch {
    // Not Linux, or a kernel without scheduler statistics.
  }
  return () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  };
}
