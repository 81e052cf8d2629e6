import { setImmediate } from 'node:timers/promises';
import { stepsTaken } from './steps.js';

/** Milliseconds of one turn, and how much work is done between two looks at the clock. */
const turnMs = 10;
const lookAfter = 16_384;
/** The same in steps of expressions: about 5 ms of them. Small pieces may take many. */
const lookAfterSteps = 20_000;
/** What any piece of work counts at least: reading the clock costs as much as checking a small one. */
const least = 512;
/** A piece of this size is worth a turn of its own. */
const large = 256 * 1024;

/** Settles when the last of those who wait has its turn. */
let lastWaiting: Promise<unknown> = Promise.resolve();

/**
 * Gives the event loop back now and then during work on many pieces, so that other requests are served between. Those
 * who wait for their next turn share the process: each gets a round of the event loop of its own.
 */
export class Turn {
  private began = performance.now();
  private done = 0;
  /** The steps of the process at the last look. */
  private steps = stepsTaken;

  /** True when it is time to `end` this turn. `size` is that of a piece: the one before, or better the one to come. */
  over(size: number): boolean {
    if (size >= large) return true;
    this.done += size < least ? least : size;
    if (this.done < lookAfter && stepsTaken - this.steps < lookAfterSteps) return false;
    this.done = 0;
    this.steps = stepsTaken;
    return performance.now() - this.began > turnMs;
  }

  async end(): Promise<void> {
    lastWaiting = lastWaiting.then(() => setImmediate());
    await lastWaiting;
    this.began = performance.now();
    this.done = 0;
    this.steps = stepsTaken;
  }
}
