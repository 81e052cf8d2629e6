import { within } from '#async';

/** Resolves when the work is fulfilled or rejected, at the latest after `ms` milliseconds. */
export async function settledWithin(ms: number, work: Promise<unknown>): Promise<void> {
  await within(ms, Promise.allSettled([work]), () => undefined);
}
