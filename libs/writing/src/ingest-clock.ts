import type { Micros } from '#event';

/** How far the wall clock may run ahead before it is followed, in microseconds. */
const tolerance = 50_000;

/**
 * The time of day in microseconds. It runs on the monotonic clock from the wall clock's time at the start and follows
 * the wall clock only forwards: a wall clock that steps back does not make `ingested_at` step back in this process.
 */
export class IngestClock {
  private offset: number;

  constructor(
    private readonly wall: () => number = Date.now,
    private readonly monotonic: () => number = () => performance.now(),
  ) {
    this.offset = this.wall() * 1000 - this.monotonic() * 1000;
  }

  now(): Micros {
    const elapsed = this.monotonic() * 1000;
    const wall = this.wall() * 1000;
    if (wall - (elapsed + this.offset) > tolerance) this.offset = wall - elapsed;
    return Math.floor(elapsed + this.offset);
  }
}
