import type { Meter } from '../values/meter.js';
import { compilePattern } from '../values/pattern.js';

/** Returns whether a pattern matches anywhere in a text; the work is charged to the meter. */
export type ChargedPattern = (text: string, meter: Meter) => boolean;

/**
 * RE2 quickly caches all states of a pattern with so few instructions; it then takes about 10 ns for each
 * character of any text.
 */
const fewInstructions = 12;

/** Compiles a pattern of a schema; its work is charged to the meter. */
export function chargedPattern(source: string): ChargedPattern {
  const pattern = compilePattern(source);
  const searching = pattern.instructions > fewInstructions ? pattern.instructions : 0;
  return (text, meter) => {
    meter.charge(8 + text.length);
    meter.chargeSearch(text.length * searching);
    return pattern.test(text);
  };
}
