import type { StepMeter } from '../values/step-meter.js';
import { compilePattern } from '../values/pattern.js';

/** Returns whether a pattern matches anywhere in a text; the work is charged to the meter. */
export type MeteredPattern = (text: string, meter: StepMeter) => boolean;

/**
 * RE2 quickly caches all states of a pattern with so few instructions; it then takes about 10 ns for each
 * character of any text.
 */
const fewInstructions = 12;

/** Compiles a pattern of a schema; its work is charged to the meter. */
export function meteredPattern(source: string): MeteredPattern {
  const pattern = compilePattern(source);
  const searching = pattern.instructions > fewInstructions ? pattern.instructions : 0;
  return (text, meter) => {
    meter.charge(8 + text.length);
    meter.chargeSearch(text.length * searching);
    return pattern.test(text);
  };
}
