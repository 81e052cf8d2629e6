/** Callbacks of an `Outage`: one call when the outage begins (with the first error), and one when it ends. */
interface OutageListener {
  began(error: unknown): void;
  ended(): void;
}

/**
 * Combines the failures of several callers that retry the same operation, such as requests to Kafka, into one outage.
 * The outage begins with the first failure of any caller. The outage ends at a success after which no failed caller is
 * left. Failures in between are not reported.
 */
export class OutageTracker<Who> {
  private readonly failing = new Set<Who>();
  private begun = false;

  constructor(private readonly report: OutageListener) {}

  /** Whether an outage is in progress. While none is, callers need not call `succeeded`. */
  get isOn(): boolean {
    return this.begun;
  }

  failed(who: Who, error: unknown): void {
    this.failing.add(who);
    if (this.begun) return;
    this.begun = true;
    this.report.began(error);
  }

  succeeded(who: Who): void {
    this.failing.delete(who);
    if (!this.begun || this.failing.size > 0) return;
    this.begun = false;
    this.report.ended();
  }

  /**
   * Forgets a failed caller that no longer retries. The call of `gaveUp` does not end the outage: even if no failed
   * caller is left, the outage lasts until the next call of `succeeded`.
   */
  gaveUp(who: Who): void {
    this.failing.delete(who);
  }
}
