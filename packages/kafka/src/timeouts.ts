import { within } from '#async';
import { LogUnavailableError } from './errors.js';

/** Resolves when the work is fulfilled or rejected, at the latest after `ms` milliseconds. */
export async function settledWithin(ms: number, work: Promise<unknown>): Promise<void> {
  await within(ms, Promise.allSettled([work]), () => undefined);
}

/** Returns the result of the promise. @throws LogUnavailableError after `ms` milliseconds */
export function withTimeout<T>(ms: number, answer: Promise<T>): Promise<T> {
  return within(ms, answer, () => {
    throw new LogUnavailableError('no answer in time');
  });
}
