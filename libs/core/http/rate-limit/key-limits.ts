import { ProblemError } from '#api';
import { TokenBucket } from './token-bucket.js';
import { rateLimitRejections } from '../metrics.js';

/**
 * Requests and events per second that an API key may use on one port of one process; a missing member means no limit.
 */
export interface RateLimit {
  requestsPerSecond?: number | undefined;
  eventsPerSecond?: number | undefined;
}

type Unit = 'requests' | 'events';

/**
 * Enforces the rate limits of one API key on one port of one process, with a token bucket for requests and one for
 * events. The capacity of a bucket is one second's tokens, at least 1.
 */
export class KeyRateLimiter {
  private readonly buckets: (readonly [Unit, TokenBucket])[] = [];

  constructor({ requestsPerSecond, eventsPerSecond }: RateLimit) {
    for (const [unit, perSecond] of [
      ['requests', requestsPerSecond],
      ['events', eventsPerSecond],
    ] as const)
      if (perSecond !== undefined)
        this.buckets.push([unit, new TokenBucket(perSecond, Math.max(1, perSecond))]);
  }

  /**
   * Takes `count` units from the limit of the key. A request for more than one second's units is accepted if the bucket
   * owes nothing; the bucket then owes the difference.
   * @throws ProblemError `too_many_requests`, with the time to wait
   */
  take(unit: Unit, count: number, now: number): void {
    const bucket = this.buckets.find(([name]) => name === unit)?.[1];
    const waitMs = bucket && count > 0 ? bucket.take(count, now) : 0;
    if (!bucket || waitMs === 0) return;
    rateLimitRejections.inc({ unit });
    const seconds = Math.ceil(waitMs / 1000);
    throw new ProblemError(
      'too_many_requests',
      `This key may use ${bucket.perSecond} ${unit} per second. Repeat the request in ${seconds} s.`,
      { retryAfterSeconds: seconds, headers: this.headers(now) },
    );
  }

  /**
   * Returns `RateLimit-Policy` and `RateLimit` as in draft-ietf-httpapi-ratelimit-headers (structured fields, RFC
   * 9651). For each unit they contain its quota `q` in a window of `w` seconds, the remaining units `r`, and the
   * seconds `t` until more are available.
   */
  headers(now: number): Record<string, string> {
    if (this.buckets.length === 0) return {};
    const policies = this.buckets.map(([unit, { capacity }]) => `"${unit}";q=${capacity};qu="${unit}";w=1`);
    const limits = this.buckets.map(
      ([unit, bucket]) =>
        `"${unit}";r=${bucket.remaining(now)};t=${Math.ceil(bucket.msUntilMore(now) / 1000)}`,
    );
    return { 'ratelimit-policy': policies.join(', '), ratelimit: limits.join(', ') };
  }
}
