import type { EpochMicros } from '#json';

/** Microseconds by which the wall clock may be ahead before this clock is set to it. */
const tolerance = 50_000;

/**
 * The time of day in microseconds. The ingest clock starts at the wall clock's time, advances with the monotonic clock,
 * and follows the wall clock only forwards. If the wall clock steps back, `ingested_at` does not step back in this
 * process.
 */
export class IngestClock {
  private offset: number;

  constructor(
    private readonly wall: () => number = Date.now,
    private readonly monotonic: () => number = () => performance.now(),
  ) {
    this.offset = this.wall() * 1000 - this.monotonic() * 1000;
  }

  now(): EpochMicros {
    const elapsed = this.monotonic() * 1000;
    const wall = this.wall() * 1000;
    if (wall - (elapsed + this.offset) > tolerance) this.offset = wall - elapsed;
    return Math.floor(elapsed + this.offset);
  }
}
