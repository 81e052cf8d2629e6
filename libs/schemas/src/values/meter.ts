/** Thrown, and caught in this library, when a check takes more steps than the event is worth. */
export class StepsExceeded extends Error {
  override readonly name = 'StepsExceeded';
}

/** Objects of more members than this are slow to list. */
const large = 1_000;

/**
 * Counts the steps of checking one event, so that a schema that is expensive, by mistake or on purpose, cannot stop
 * the process. Steps are counted, not timed: the same event and schema always give the same answer. A step is the check of
 * one value by one schema, some 10 to 50 ns; what takes longer is charged as several.
 */
export class Meter {
  /** Steps that are left. */
  left = 0;
  /** What searching for patterns may still take: instructions of a pattern, times characters of a text. */
  searches = 0;
  readonly exceeded = new StepsExceeded();
  private listed: { of: object | undefined; names: readonly string[] } = { of: undefined, names: [] };

  /** @throws StepsExceeded */
  charge(steps: number): void {
    if ((this.left -= steps) < 0) throw this.exceeded;
  }

  /** @throws StepsExceeded */
  chargeSearch(work: number): void {
    if ((this.searches -= work) < 0) throw this.exceeded;
  }

  /**
   * The names of an object's members. Listing them takes memory and time, so the list is made once for all keywords that
   * look at the same object one after the other, and charged.
   * @throws StepsExceeded
   */
  namesOf(value: object): readonly string[] {
    if (this.listed.of === value) return this.listed.names;
    const names = Object.keys(value);
    this.listed = { of: value, names };
    this.charge(names.length > large ? names.length * 8 : names.length);
    return names;
  }

  /** Lets go of the last value. */
  protected forget(): void {
    this.listed = { of: undefined, names: [] };
  }
}

/** For values that are small for certain. */
export const unmetered: Meter = Object.assign(new Meter(), { left: Infinity, searches: Infinity });
