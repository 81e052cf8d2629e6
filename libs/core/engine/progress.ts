/** Milliseconds without progress after which a consumer with lag counts as hanging. */
const patienceMs = 60_000;

/** Detects a consumer that hangs, not one that is idle or retries. Times: milliseconds of one monotonic clock. */
export class StalledConsumerDetector {
  private lastMove = this.now();
  private lastAttempt = -Infinity;
  private lastMeasure = this.lastMove;
  private lastIdle = this.lastMove;

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** A record was stored, committed, or read for a warm-up. A mere read is no progress: inserts may hang meanwhile. */
  moved(): void {
    this.lastMove = this.now();
  }

  /** Records a failed request to Kafka or ClickHouse, which will be retried. */
  attempted(): void {
    this.lastAttempt = this.now();
  }

  /** Records a measured lag. The time until the consumer counts as hanging starts with the first lag. */
  measured(lag: number): void {
    this.lastMeasure = this.now();
    if (lag === 0) this.lastIdle = this.lastMeasure;
  }

  get secondsSinceMove(): number {
    return (this.now() - this.lastMove) / 1000;
  }

  /** Whether there was no progress and no retry for a minute, with lag all the time or without a measurement. */
  hangs(lag: number): boolean {
    const since = this.now() - patienceMs;
    if (this.lastMove >= since || this.lastAttempt >= since) return false;
    return (lag > 0 && this.lastIdle < since) || this.lastMeasure < since;
  }
}
