/** Tells how long to wait before each further try: twice as long as before, up to a bound. */
export class Backoff {
  private wait: number;

  constructor(
    private readonly firstMs: number,
    private readonly longestMs: number,
  ) {
    this.wait = firstMs;
  }

  /** Milliseconds to wait now. */
  next(): number {
    const { wait } = this;
    this.wait = Math.min(wait * 2, this.longestMs);
    return wait;
  }

  /** After a success: the next wait is the first one again. */
  reset(): void {
    this.wait = this.firstMs;
  }
}
