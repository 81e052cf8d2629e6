import { ProblemError } from '#api';
import { metrics } from '#telemetry';
import { TokenBucket } from './token-bucket.js';

/** What a key may do per second; what is not given is not limited. */
export interface RateLimit {
  requestsPerSecond?: number;
  eventsPerSecond?: number;
}

type Unit = 'requests' | 'events';

/** The buckets of one key on one port of one process. Each holds what may be used within one second, at least 1. */
export class KeyLimits {
  private readonly buckets: (readonly [Unit, TokenBucket])[] = [];

  constructor({ requestsPerSecond, eventsPerSecond }: RateLimit) {
    if (requestsPerSecond !== undefined) this.add('requests', requestsPerSecond);
    if (eventsPerSecond !== undefined) this.add('events', eventsPerSecond);
  }

  /**
   * Uses up a part of what the key may do. More than a second's worth at once is let in too, when nothing is owed; it
   * is owed then.
   * @throws ProblemError too_many_requests, with when to come again
   */
  take(unit: Unit, count: number, now: number): void {
    const bucket = this.buckets.find(([name]) => name === unit)?.[1];
    const waitMs = bucket && count > 0 ? bucket.take(count, now) : 0;
    if (!bucket || waitMs === 0) return;
    metrics.rateRefused.inc({ unit });
    const seconds = Math.ceil(waitMs / 1000);
    throw new ProblemError(
      'too_many_requests',
      `This key may use ${bucket.perSecond} ${unit} per second. Repeat the request in ${seconds} s.`,
      { retryAfterSeconds: seconds, headers: this.headers(now) },
    );
  }

  /**
   * `RateLimit-Policy` and `RateLimit` as draft-ietf-httpapi-ratelimit-headers has them (structured fields, RFC 9651):
   * for each unit its quota `q` in a window of `w` seconds; what remains `r`, and the seconds `t` until more is there.
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

  private add(unit: Unit, perSecond: number): void {
    this.buckets.push([unit, new TokenBucket(perSecond, Math.max(1, perSecond))]);
  }
}
