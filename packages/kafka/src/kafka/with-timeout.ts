import { within } from '#async';
import { LogUnavailableError } from '../errors.js';

/**
 * Returns the result of the promise, but waits for it no longer than `ms` milliseconds.
 * @throws LogUnavailableError if the promise takes longer than `ms` milliseconds
 * @throws the error with which `answer` rejects
 */
export function withTimeout<T>(ms: number, answer: Promise<T>): Promise<T> {
  return within(ms, answer, () => {
    throw new LogUnavailableError('no answer in time');
  });
}
