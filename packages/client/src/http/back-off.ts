import { retryAfterSecondsOf } from '../errors/error-of.js';

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

/** Parses `Retry-After`, which is a number of seconds or a date. Returns seconds. */
export function retryAfterSeconds(headers: Headers, now = Date.now()): number | undefined {
  const text = headers.get('retry-after');
  if (text === null) return undefined;
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - now) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

/** Resolves after this time. @throws the reason of the signal as soon as it is aborted */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
