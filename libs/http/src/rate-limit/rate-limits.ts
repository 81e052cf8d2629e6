import { KeyRateLimiter, type RateLimit } from './key-limits.js';

/** A key with its rate limit, if it has one. */
interface LimitedKey {
  readonly rateLimit?: RateLimit;
}

/**
 * The rate limits of the keys of one port in this process. The key ring returns the same object while a key does not
 * change, so limits are found by object and garbage-collected with it. A changed key starts with full buckets.
 */
export class KeyRateLimiters {
  private readonly limits = new WeakMap<LimitedKey, KeyRateLimiter>();

  /** Returns the limits of a key; undefined if it has none. */
  of(key: LimitedKey): KeyRateLimiter | undefined {
    if (!key.rateLimit) return undefined;
    let limits = this.limits.get(key);
    if (!limits) this.limits.set(key, (limits = new KeyRateLimiter(key.rateLimit)));
    return limits;
  }
}
