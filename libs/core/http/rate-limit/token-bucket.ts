/** Tolerance for rounding errors in comparisons of milliseconds or tokens. */
const precision = 1e-6;

/**
 * A token bucket that can go into debt. Tokens flow in at `perSecond` up to `capacity`. While at least one token is
 * available, `take` grants any number of tokens. Missing tokens become a debt, and nothing is granted until the debt is
 * paid. So the rate is kept over time, and a request larger than the bucket is still possible. Times are milliseconds
 * of a monotonic clock.
 *
 * The state is one number, the time at which the bucket will be full (as in the generic cell rate algorithm). No timer
 * refills the bucket, and reading it changes nothing.
 */
export class TokenBucket {
  private fullAt = -Infinity;
  private readonly msPerToken: number;

  constructor(
    readonly perSecond: number,
    readonly capacity: number,
  ) {
    this.msPerToken = 1000 / perSecond;
  }

  /** Takes `count` tokens and returns 0 if at least one is available; else returns the milliseconds until one is. */
  take(count: number, now: number): number {
    const waitMs = this.msUntil(1, now);
    if (waitMs === 0) this.fullAt = Math.max(this.fullAt, now) + count * this.msPerToken;
    return waitMs;
  }

  /** Returns the number of whole available tokens; 0 while there is a debt. */
  remaining(now: number): number {
    const missing = Math.max(0, this.fullAt - now) / this.msPerToken;
    return Math.max(0, Math.floor(this.capacity - missing + precision));
  }

  /** Returns the milliseconds until one more token than `remaining` is available; 0 when the bucket is full. */
  msUntilMore(now: number): number {
    return this.msUntil(Math.min(this.capacity, this.remaining(now) + 1), now);
  }

  private msUntil(tokens: number, now: number): number {
    return Math.max(0, Math.ceil(this.fullAt - now - (this.capacity - tokens) * this.msPerToken - precision));
  }
}
