import { setTimeout as sleep } from 'node:timers/promises';

export interface Waiting {
  /** What is waited for, for the message when it does not come. */
  what: string;
  /** Something that changes for as long as there is progress. Without it, nothing counts as progress. */
  progress?: () => unknown;
  /** A standstill of so many milliseconds is the end; default 60 seconds. */
  patienceMs?: number;
  intervalMs?: number;
  /** What the one who looks at the failure should know. */
  diagnosis?: () => string | Promise<string>;
}

/**
 * Resolves when the condition holds. How long that takes does not matter, so that a machine that has much to do fails
 * no test; that nothing moves any more does.
 * @throws after a standstill, with the diagnosis
 */
export async function until(condition: () => boolean | Promise<boolean>, waiting: Waiting): Promise<void> {
  const { what, progress = () => undefined, patienceMs = 60_000, intervalMs = 20 } = waiting;
  let state = progress();
  let moved = Date.now();
  while (!(await condition())) {
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
