import { setTimeout as sleep } from 'node:timers/promises';

/** Limits the rate of all callers together. A caller takes units first and waits for the time that they cost. */
export class RateLimit {
  private freeAt = -Infinity;

  /** @param now Returns milliseconds of a monotonic clock. */
  constructor(
    private readonly perSecond: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * Resolves when the units that were taken before, by all callers, are paid for; the units of this call delay the next
   * one. @throws the signal's reason
   */
  async take(units: number, signal: AbortSignal): Promise<void> {
    const now = this.now();
    const wait = Math.max(0, this.freeAt - now);
    this.freeAt = Math.max(this.freeAt, now) + (units / this.perSecond) * 1000;
    if (wait > 0) await sleep(wait, undefined, { signal });
  }
}
