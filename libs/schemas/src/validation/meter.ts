/** Thrown, and caught in this library, when a check takes more steps than the event is worth. */
export class StepsExceeded extends Error {
  override readonly name = 'StepsExceeded';
}

/**
 * Counts the steps of checking one event, so that a schema that is expensive, by mistake or on purpose, cannot stop
 * the process. Steps are counted, not timed: the same event and schema always give the same answer. A step is the check of
 * one value by one schema, some 10 to 50 ns; what takes longer is charged as several.
 */
export class Meter {
  /** Steps that are left. Compiled validators subtract from it where a schema begins. */
  left = 0;
  /** What searching for patterns may still take: instructions of a pattern, times characters of a text. */
  searches = 0;
  readonly exceeded = new StepsExceeded();

  /** @throws StepsExceeded */
  charge(steps: number): void {
    if ((this.left -= steps) < 0) throw this.exceeded;
  }

  /** @throws StepsExceeded */
  chargeSearch(work: number): void {
    if ((this.searches -= work) < 0) throw this.exceeded;
  }
}
