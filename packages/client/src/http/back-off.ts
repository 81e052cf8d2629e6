import { retryAfterSecondsOf } from '../errors/is-transient.js';

const firstMs = 100;
const mostMs = 5_000;

/**
 * Returns the milliseconds until the next attempt: the maximum of `Retry-After` and exponential back-off with full
 * jitter. The jitter spreads the retries of clients that failed at the same time.
 */
export function backOffMs(failures: number, error: unknown): number {
  const jitter = Math.random() * Math.min(mostMs, firstMs * 2 ** failures);
  return retryAfterSecondsOf(error) * 1000 + jitter;
}
