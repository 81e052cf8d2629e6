/**
 * The largest value of the last minutes. Reading does not reset it, so any number of scrapers see the same; what they
 * see is up to one slot younger than the window.
 */
export class RecentMaximum {
  private readonly slots: { start: number; maximum: number }[] = [];

  constructor(
    private readonly windowMs: number,
    private readonly slotMs: number,
  ) {}

  /** `at`: milliseconds, never going back. */
  observe(value: number, at: number): void {
    const start = at - (at % this.slotMs);
    const last = this.slots.at(-1);
    if (last?.start === start) last.maximum = Math.max(last.maximum, value);
    else this.slots.push({ start, maximum: value });
    this.forget(at);
  }

  /** 0 when the window has no value. */
  at(now: number): number {
    this.forget(now);
    return this.slots.reduce((largest, { maximum }) => Math.max(largest, maximum), 0);
  }

  private forget(now: number): void {
    while (this.slots[0] && this.slots[0].start + this.windowMs <= now) this.slots.shift();
  }
}
