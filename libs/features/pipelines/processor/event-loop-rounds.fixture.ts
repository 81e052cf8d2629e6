import { vi } from 'vitest';

/**
 * Resolves with the number of event loop iterations during the work. Each reading of the clock is a second after the one
 * before, so the number does not depend on the speed of the machine: a time slice is over when its clock is read.
 */
export async function eventLoopRoundsDuring(work: () => Promise<unknown>): Promise<number> {
  let [rounds, now, isOver] = [0, 0, false];
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 1_000));
  const count = (): void => {
    rounds++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  try {
    await work();
  } finally {
    isOver = true;
    clock.mockRestore();
  }
  return rounds;
}
