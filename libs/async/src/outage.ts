/** Who is told of an outage, once each. */
export interface OutageReport {
  began(error: unknown): void;
  ended(): void;
}

/**
 * What several try at the same time and again and again: it begins when the first of them fails, and ends when those that
 * failed have succeeded. Between the two nobody need be told of each try.
 */
export class Outage<Who> {
  private readonly failing = new Set<Who>();
  private begun = false;

  constructor(private readonly report: OutageReport) {}

  /** Whether a success is worth mentioning. */
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

  /** It tries no more. That none is left who failed does not end the outage: the next success of anyone does. */
  gaveUp(who: Who): void {
    this.failing.delete(who);
  }
}
