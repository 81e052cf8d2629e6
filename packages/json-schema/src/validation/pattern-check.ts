import type { StepMeter } from '../values/step-meter.js';
import { compilePattern } from '../values/pattern.js';

/**
 * A compiled regular expression of a schema: returns whether it matches anywhere in a text, and charges the work to the
 * meter of the validation.
 */
export type MeteredPattern = (text: string, meter: StepMeter) => boolean;

/**
 * Number of instructions up to which RE2 quickly caches all states of a pattern; a search then takes about 10 ns for
 * each character of any text, and is not charged.
 */
const fewInstructions = 12;

/** Compiles a regular expression of a schema to a function that charges the work of each search to a meter. */
export function meteredPattern(source: string): MeteredPattern {
  const pattern = compilePattern(source);
  const searching = pattern.instructions > fewInstructions ? pattern.instructions : 0;
  return (text, meter) => {
    meter.charge(8 + text.length);
    meter.chargeSearch(text.length * searching);
    return pattern.test(text);
  };
}
