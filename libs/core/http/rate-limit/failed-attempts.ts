import { TokenBucket } from './token-bucket.js';

/**
 * Counts requests with a wrong API key by client network, and tolerates `perMinute` of them from each. The counter
 * keeps at most `networks` networks and evicts the one whose last failure is oldest.
 */
export class FailedAuthAttempts {
  private readonly buckets = new Map<string, TokenBucket>();

  constructor(private readonly bounds = { perMinute: 20, networks: 10_000 }) {}

  /** Counts one failure. Returns 0 while failures are tolerated, else the milliseconds until the next one is. */
  add(network: string, now: number): number {
    const { perMinute, networks } = this.bounds;
    const bucket = this.buckets.get(network) ?? new TokenBucket(perMinute / 60, perMinute);
    // A Map iterates in the order of insertion: the network that failed last is at its end.
    this.buckets.delete(network);
    this.buckets.set(network, bucket);
    const [oldest = ''] = this.buckets.keys();
    if (this.buckets.size > networks) this.buckets.delete(oldest);
    return bucket.take(1, now);
  }
}
