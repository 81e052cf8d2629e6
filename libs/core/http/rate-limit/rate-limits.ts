import { KeyRateLimiter, type RateLimit } from './key-limits.js';

/** The part of an API key that rate limiting reads. */
interface LimitedKey {
  readonly rateLimit?: RateLimit;
}

/**
 * The rate limiters of all API keys on one port of this process. The key ring returns the same object while a key does
 * not change, so its limiter is found by object and garbage-collected with it. A changed key starts with full token
 * buckets.
 */
export class KeyRateLimiters {
  private readonly limits = new WeakMap<LimitedKey, KeyRateLimiter>();

  /** Returns the rate limiter of a key; undefined if the key has no rate limit. */
  of(key: LimitedKey): KeyRateLimiter | undefined {
    if (!key.rateLimit) return undefined;
    let limits = this.limits.get(key);
    if (!limits) this.limits.set(key, (limits = new KeyRateLimiter(key.rateLimit)));
    return limits;
  }
}
