/** The validation of a value exceeds its limit of steps or of search work. It is caught within this library. */
class StepsExceededError extends Error {
  override readonly name = 'StepsExceededError';
}

/** Number of members above which listing the names of an object costs more steps for each name, because it is slow. */
const large = 1_000;

/**
 * Counts the steps of validating one value, so that an expensive schema, by mistake or on purpose, cannot block the
 * process. Steps are counted, not timed: the same value and schema always give the same result. A step is the check
 * of one value by one schema, about 10 to 50 ns; slower operations are charged as several steps.
 */
export class StepMeter {
  /** Number of steps that the current validation may still take. */
  left = 0;
  /** Remaining search work of patterns: instructions of a pattern times characters of a text. */
  searches = 0;
  readonly exceeded = new StepsExceededError();
  private listed: { of: object | undefined; names: readonly string[] } = { of: undefined, names: [] };

  /** Takes steps from the limit of the current validation. @throws StepsExceededError when too few remain */
  charge(steps: number): void {
    if ((this.left -= steps) < 0) throw this.exceeded;
  }

  /** Takes search work of regular expressions. @throws StepsExceededError when too little remains */
  chargeSearch(work: number): void {
    if ((this.searches -= work) < 0) throw this.exceeded;
  }

  /**
   * Returns the names of an object's members. Listing the names takes memory and time, so the list is cached for
   * consecutive keywords that read the same object. The listing is charged. @throws StepsExceededError
   */
  namesOf(value: object): readonly string[] {
    if (this.listed.of === value) return this.listed.names;
    const names = Object.keys(value);
    this.listed = { of: value, names };
    this.charge(names.length > large ? names.length * 8 : names.length);
    return names;
  }

  /** Clears the cached list of an object's member names. */
  protected forget(): void {
    this.listed = { of: undefined, names: [] };
  }
}

/** A meter without limits, for values that are known to be small. */
export const unlimitedMeter: StepMeter = Object.assign(new StepMeter(), {
  left: Infinity,
  searches: Infinity,
});
