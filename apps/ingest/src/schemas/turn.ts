import { setImmediate } from 'node:timers/promises';

/** Milliseconds of one turn, and how much work is done between two looks at the clock. */
const turnMs = 10;
const lookAfter = 16_384;
/** What any piece of work counts at least: reading the clock costs as much as checking a small one. */
const least = 512;

/** Gives the event loop back now and then during work on many pieces, so that other requests are served between. */
export class Turn {
  private began = performance.now();
  private done = 0;

  /** True when it is time to `end` this turn. `size` is that of the piece that was worked on. */
  over(size: number): boolean {
    this.done += size < least ? least : size;
    if (this.done < lookAfter) return false;
    this.done = 0;
    return performance.now() - this.began > turnMs;
  }

  async end(): Promise<void> {
    await setImmediate();
    this.began = performance.now();
  }
}
