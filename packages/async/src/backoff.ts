/** Exponential back-off: each wait is twice as long as the one before, up to a limit. */
export class Backoff {
  private wait: number;

  constructor(
    private readonly firstMs: number,
    private readonly longestMs: number,
  ) {
    this.wait = firstMs;
  }

  next(): number {
    const { wait } = this;
    this.wait = Math.min(wait * 2, this.longestMs);
    return wait;
  }

  /** Makes `next` start again with the shortest wait. Callers call it after a successful try. */
  reset(): void {
    this.wait = this.firstMs;
  }
}
