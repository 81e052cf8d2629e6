/** Receives one call when an outage begins and one when it ends. */
export interface OutageListener {
  began(error: unknown): void;
  ended(): void;
}

/**
 * Combines the failures of several parties that retry the same operation into one outage. The outage begins with the
 * first failure and ends once every failed party has succeeded. Retries in between are not reported.
 */
export class Outage<Who> {
  private readonly failing = new Set<Who>();
  private begun = false;

  constructor(private readonly report: OutageListener) {}

  /** Whether an outage is in progress. Callers may omit calls of `succeeded` otherwise. */
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
   * Forgets a party that no longer retries. If no failed party is left, the outage still lasts until the next success
   * of any party.
   */
  gaveUp(who: Who): void {
    this.failing.delete(who);
  }
}
