/** Of a millisecond, or of a token: errors of rounding are below it, and nothing that matters is. */
const precision = 1e-6;

/**
 * A rate with a burst. Tokens flow in at `perSecond` up to `capacity`; whoever takes while at least one is there gets
 * as many as wanted, and what is missing is a debt that is paid before anyone gets more. So the rate holds over time,
 * and something larger than the bucket can still be had. Times are milliseconds of a clock that does not go back.
 *
 * What is there follows from one number, the time when the bucket will be full (as in the generic cell rate
 * algorithm), so that nothing has to be filled and asking changes nothing.
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

  /** Takes them all and returns 0; or takes nothing and returns the milliseconds until it is worth asking again. */
  take(count: number, now: number): number {
    const waitMs = this.msUntil(1, now);
    if (waitMs === 0) this.fullAt = Math.max(this.fullAt, now) + count * this.msPerToken;
    return waitMs;
  }

  /** Whole tokens that are there, none while there is a debt. */
  remaining(now: number): number {
    const missing = Math.max(0, this.fullAt - now) / this.msPerToken;
    return Math.max(0, Math.floor(this.capacity - missing + precision));
  }

  /** Milliseconds until one more than `remaining` is there; 0 when it is full. */
  msUntilMore(now: number): number {
    return this.msUntil(Math.min(this.capacity, this.remaining(now) + 1), now);
  }

  private msUntil(tokens: number, now: number): number {
    return Math.max(0, Math.ceil(this.fullAt - now - (this.capacity - tokens) * this.msPerToken - precision));
  }
}
