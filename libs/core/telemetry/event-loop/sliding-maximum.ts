/**
 * The largest value that was observed in a sliding time window. Reading does not reset it, so several Prometheus
 * scrapers see the same value. The covered time is up to one slot shorter than the window.
 */
export class SlidingMaximum {
  private readonly slots: { start: number; maximum: number }[] = [];

  constructor(
    private readonly windowMs: number,
    private readonly slotMs: number,
  ) {}

  /** Adds a value. @param at Milliseconds of a monotonic clock */
  observe(value: number, at: number): void {
    const start = at - (at % this.slotMs);
    const last = this.slots.at(-1);
    if (last?.start === start) last.maximum = Math.max(last.maximum, value);
    else this.slots.push({ start, maximum: value });
    this.forget(at);
  }

  /** Returns the largest value observed in the window that ends at `now`; 0 if there is none. */
  at(now: number): number {
    this.forget(now);
    return this.slots.reduce((largest, { maximum }) => Math.max(largest, maximum), 0);
  }

  private forget(now: number): void {
    while (this.slots[0] && this.slots[0].start + this.windowMs <= now) this.slots.shift();
  }
}
