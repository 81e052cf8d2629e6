import { setTimeout as sleep } from 'node:timers/promises';

/** What a test waits for, and after how long without progress the wait fails. */
interface WaitOptions {
  /** Describes the awaited condition, for the error message. */
  what: string;
  /**
   * Returns a value that changes as long as the awaited work makes progress. Without `progress`, nothing counts as
   * progress.
   */
  progress?: () => unknown;
  /** Milliseconds without progress after which the wait fails; default 60 seconds. */
  patienceMs?: number;
  /**
   * Milliseconds between two looks; default 20, and 100 for a condition that returns a promise: it mostly asks a process,
   * whose answer takes processor time.
   */
  intervalMs?: number;
  /** Returns additional information for the error message. */
  diagnosis?: () => string | Promise<string>;
}

/**
 * Resolves when the condition is true. The total time does not matter, so a busy machine fails no test; only a
 * standstill fails the test.
 * @throws an Error with the diagnosis after a standstill
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  waiting: WaitOptions,
): Promise<void> {
  const { what, progress = () => undefined, patienceMs = 60_000 } = waiting;
  let state = progress();
  let moved = Date.now();
  for (;;) {
    const answer = condition();
    if (await answer) return;
    const { intervalMs = typeof answer === 'boolean' ? 20 : 100 } = waiting;
    const now = progress();
    if (now !== state) [state, moved] = [now, Date.now()];
    if (Date.now() - moved > patienceMs) {
      const diagnosis = (await waiting.diagnosis?.()) ?? '';
      throw new Error(
        `Nothing has moved for ${patienceMs / 1000} s: ${what} (at ${String(state)})\n${diagnosis}`,
      );
    }
    await sleep(intervalMs);
  }
}
