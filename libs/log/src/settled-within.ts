import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves when the work is fulfilled or rejected, at the latest after `ms` milliseconds. */
export async function settledWithin(ms: number, work: Promise<unknown>): Promise<void> {
  const over = new AbortController();
  const settled = work.then(
    () => undefined,
    () => undefined,
  );
  const late = sleep(ms, undefined, { signal: over.signal }).catch(() => undefined);
  await Promise.race([settled, late]);
  over.abort();
}
