import { setTimeout as sleep } from 'node:timers/promises';
import { STREAM_EXISTS, type ExpectedStreamVersion } from '@event-driven-io/emmett';

/** Milliseconds between two reads. */
const pollMs = 20;

interface UntilVisibleOptions<T> {
  expected: ExpectedStreamVersion | undefined;
  visibleMs: number;
  /** Returns the version of emmett's stream that was read. */
  versionIn: (found: T) => bigint;
}

/**
 * Reads until the expected version is visible, or for at most `visibleMs`. A read shows an event about 100 ms after it
 * was accepted: without this wait a version that another process has just written would look like a conflict.
 */
export async function untilVisible<T>(
  read: () => Promise<T>,
  { expected, visibleMs, versionIn }: UntilVisibleOptions<T>,
): Promise<T> {
  const least = leastOf(expected);
  const until = performance.now() + visibleMs;
  for (;;) {
    const found = await read();
    if (versionIn(found) >= least || performance.now() >= until) return found;
    await sleep(pollMs);
  }
}

function leastOf(expected: ExpectedStreamVersion | undefined): bigint {
  if (typeof expected === 'bigint') return expected;
  return expected === STREAM_EXISTS ? 1n : 0n;
}
