import { KeyLimits, type RateLimit } from './key-limits.js';

/** A key with its rate limit, if it has one. */
interface LimitedKey {
  readonly rateLimit?: RateLimit;
}

/**
 * The rate limits of the keys of one port in this process. The key ring returns the same object while a key does not
 * change, so limits are found by object and garbage-collected with it. A changed key starts with full buckets.
 */
export class RateLimits {
  private readonly limits = new WeakMap<LimitedKey, KeyLimits>();

  /** Returns the limits of a key; undefined if it has none. */
  of(key: LimitedKey): KeyLimits | undefined {
    if (!key.rateLimit) return undefined;
    let limits = this.limits.get(key);
    if (!limits) this.limits.set(key, (limits = new KeyLimits(key.rateLimit)));
    return limits;
  }
}
