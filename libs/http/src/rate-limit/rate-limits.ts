import type { ApiKey } from '../auth/key-ring.js';
import { KeyLimits } from './key-limits.js';

/**
 * What the keys of one port have used up, in this process. It follows the keys: the ring gives the same object while a
 * key does not change, and what nobody refers to any more is forgotten with it. A key that was changed begins anew.
 */
export class RateLimits {
  private readonly limits = new WeakMap<ApiKey, KeyLimits>();

  /** Undefined where the key has no limit. */
  of(key: ApiKey): KeyLimits | undefined {
    if (!key.rateLimit) return undefined;
    let limits = this.limits.get(key);
    if (!limits) this.limits.set(key, (limits = new KeyLimits(key.rateLimit)));
    return limits;
  }
}
