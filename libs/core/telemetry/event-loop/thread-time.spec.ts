import { describe, expect, it } from 'vitest';
import { threadClock } from './watchdog.js';

/** Computes until the process has used this much processor time, independent of other processes. */
function compute(milliseconds: number): void {
  const begun = process.cpuUsage();
  for (
    let used = { user: 0, system: 0 };
    used.user + used.system < milliseconds * 1000;
    used = process.cpuUsage(begun)
  );
}

describe('the processor-time clock of the thread', () => {
  it('advances while the thread computes', () => {
    const clock = threadClock();
    const before = clock();
    compute(100);
    expect(clock() - before).toBeGreaterThan(20);
  });

  it('stands still while the thread waits', () => {
    const clock = threadClock();
    const before = clock();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
    expect(clock() - before).toBeLessThan(200);
  });
});
