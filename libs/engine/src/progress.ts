/** Milliseconds without any movement after which a consumer with lag counts as hanging. */
const patienceMs = 60_000;

/**
 * Tells a consumer that hangs from one that is idle, and from one that waits for an engine and keeps trying. Times are
 * milliseconds of one monotonic clock.
 */
export class Progress {
  private lastMove: number;
  private lastAttempt = -Infinity;
  private lastMeasure: number;
  private lastIdle: number;

  constructor(private readonly now: () => number = () => performance.now()) {
    this.lastMove = this.now();
    this.lastMeasure = this.lastMove;
    this.lastIdle = this.lastMove;
  }

  /** Something was stored or committed, or read again to warm up. Reading ahead is none: it goes on while inserts hang. */
  moved(): void {
    this.lastMove = this.now();
  }

  /** An engine was tried and did not answer. */
  attempted(): void {
    this.lastAttempt = this.now();
  }

  /** The lag became known. Without any, the consumer has nothing to do: its minute begins when there is some. */
  measured(lag: number): void {
    this.lastMeasure = this.now();
    if (lag === 0) this.lastIdle = this.lastMeasure;
  }

  get secondsSinceMove(): number {
    return (this.now() - this.lastMove) / 1000;
  }

  /** True when there is lag, or nobody could say, and for a minute nothing moved and nothing was tried. */
  hangs(lag: number): boolean {
    const since = this.now() - patienceMs;
    if (this.lastMove >= since || this.lastAttempt >= since) return false;
    return (lag > 0 && this.lastIdle < since) || this.lastMeasure < since;
  }
}
