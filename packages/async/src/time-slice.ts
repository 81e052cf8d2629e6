import { setImmediate } from 'node:timers/promises';

/**
 * Number of steps that this process has counted since it started, such as the steps of an interpreter. A piece of work
 * that is small in bytes may take many steps.
 */
export let stepsTaken = 0;

/** Adds the steps of a finished computation to `stepsTaken`. */
export function countSteps(steps: number): void {
  stepsTaken += steps;
}

/** Length of a time slice in milliseconds. The clock is read after each 16 384 units of work. */
const sliceMs = 10;
const checkAfterWork = 16_384;
/** Number of counted steps after which a time slice reads the clock, about 5 ms. Small pieces may take many steps. */
const checkAfterSteps = 20_000;
/**
 * Minimum size of a piece of work, so that many small ones also reach a reading of the clock. Reading it for each of
 * them would cost as much as checking a small piece.
 */
const minimumSize = 512;
/** A piece of work of this size or more ends the time slice at once, without a look at the clock. */
const largeSize = 256 * 1024;

/** Settles when the last computation that waits in `TimeSlice.end` continues. */
let lastWaiting: Promise<unknown> = Promise.resolve();

/**
 * Time slice of a long computation: yields the event loop at intervals during work on many pieces, so that other
 * requests are served in between. Each waiting computation continues in its own round of the event loop.
 */
export class TimeSlice {
  private began = performance.now();
  private done = 0;
  private steps = stepsTaken;

  /**
   * Returns true when the time slice is over and the caller must await `end`. `size` is the size of one piece of work,
   * usually in characters: preferably of the next piece, else of the previous one.
   */
  over(size: number): boolean {
    if (size >= largeSize) return true;
    this.done += size < minimumSize ? minimumSize : size;
    if (this.done < checkAfterWork && stepsTaken - this.steps < checkAfterSteps) return false;
    this.done = 0;
    this.steps = stepsTaken;
    return performance.now() - this.began > sliceMs;
  }

  /** Yields the event loop; resolves when the next time slice begins. */
  async end(): Promise<void> {
    lastWaiting = lastWaiting.then(() => setImmediate());
    await lastWaiting;
    this.began = performance.now();
    this.done = 0;
    this.steps = stepsTaken;
  }
}
