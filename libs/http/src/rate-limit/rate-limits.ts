import { KeyLimits, type RateLimit } from './key-limits.js';

/** A key, as far as its limits go. */
interface LimitedKey {
  readonly rateLimit?: RateLimit;
}

/**
 * What the keys of one port have used up, in this process. It follows the keys: the ring gives the same object while a
 * key does not change, and what nobody refers to any more is forgotten with it. A key that was changed begins anew.
 */
export class RateLimits {
  private readonly limits = new WeakMap<LimitedKey, KeyLimits>();

  /** Undefined where the key has no limit. */
  of(key: LimitedKey): KeyLimits | undefined {
    if (!key.rateLimit) return undefined;
    let limits = this.limits.get(key);
    if (!limits) this.limits.set(key, (limits = new KeyLimits(key.rateLimit)));
    return limits;
  }
}
