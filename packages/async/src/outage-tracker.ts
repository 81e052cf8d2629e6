/** Callbacks of an `Outage`: one call when the outage begins (with the first error), and one when it ends. */
interface OutageListener {
  began(error: unknown): void;
  ended(): void;
}

/**
 * Combines the failures of several callers that retry the same operation into one outage: from the first failure of any
 * caller to a success after which no failed caller is left.
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

  /** Forgets a failed caller that no longer retries. The outage lasts until the next call of `succeeded`. */
  gaveUp(who: Who): void {
    this.failing.delete(who);
  }
}
