import { TokenBucket } from './token-bucket.js';

const defaults = { perMinute: 20, networks: 10_000 };

/**
 * How often requests from each network have failed lately. So many a minute are tolerated; it remembers so many
 * networks, and forgets the one that has not failed for longest.
 */
export class FailedAttempts {
  private readonly buckets = new Map<string, TokenBucket>();

  constructor(private readonly bounds: { perMinute: number; networks: number } = defaults) {}

  /** Counts one. Returns 0 while that is tolerated, else the milliseconds until one more would be. */
  add(network: string, now: number): number {
    const { perMinute, networks } = this.bounds;
    const bucket = this.buckets.get(network) ?? new TokenBucket(perMinute / 60, perMinute);
    // A Map keeps the order of insertion: whoever failed last is last.
    this.buckets.delete(network);
    this.buckets.set(network, bucket);
    for (const oldest of this.buckets.keys()) {
      if (this.buckets.size <= networks) break;
      this.buckets.delete(oldest);
    }
    return bucket.take(1, now);
  }
}
