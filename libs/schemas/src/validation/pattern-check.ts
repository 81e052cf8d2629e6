import type { Meter } from '../values/meter.js';
import { compilePattern } from '../values/pattern.js';

/** Whether a pattern is found in a text; the work is charged. */
export type ChargedPattern = (text: string, meter: Meter) => boolean;

/** Patterns of so few, RE2 soon knows all about: then it takes some 10 ns for each character of any text. */
const fewInstructions = 12;

/** A pattern of a schema, whose work is charged. */
export function chargedPattern(source: string): ChargedPattern {
  const pattern = compilePattern(source);
  const searching = pattern.instructions > fewInstructions ? pattern.instructions : 0;
  return (text, meter) => {
    meter.charge(8 + text.length);
    meter.chargeSearch(text.length * searching);
    return pattern.test(text);
  };
}
