import { LogUnavailableError } from '../errors.js';

/**
 * Returns the result of the promise, but waits for it no longer than `ms` milliseconds.
 * @throws LogUnavailableError if the promise takes longer than `ms` milliseconds
 * @throws the error with which `answer` rejects
 */
export async function withTimeout<T>(ms: number, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new LogUnavailableError('no answer in time')), Math.max(ms, 1));
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
