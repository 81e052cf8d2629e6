import { retryAfterSecondsOf } from '../errors/is-transient.js';

const firstMs = 100;
const mostMs = 5_000;

/**
 * Milliseconds until the next attempt: those of `Retry-After`, and of exponential back-off with full jitter, so that
 * clients that failed together do not come back together.
 */
export function backOffMs(failures: number, error: unknown): number {
  const jitter = Math.random() * Math.min(mostMs, firstMs * 2 ** failures);
  return retryAfterSecondsOf(error) * 1000 + jitter;
}
