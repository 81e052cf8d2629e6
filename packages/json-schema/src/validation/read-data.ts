import { parseWithNumbers } from '#json';
import { readNumber } from '../values/decimal.js';
import { unlimitedMeter, type StepMeter } from '../values/step-meter.js';

/** Matches sixteen digits or a three-digit exponent. Without a match, doubles represent all numbers. */
const longNumber = /\d{16}|[\d.]{17}|[eE][+-]?\d{3}/;
/** Length of the shortest text of a number that a double may not represent, `1e100`. */
const shortest = 5;
/**
 * Number of validation steps charged for reading one number exactly. A text that consists of 17-digit numbers is
 * allowed about twice as many steps for each.
 */
const stepsOfLongNumber = 40;

/**
 * Parses a JSON text for `CompiledSchema.validate`. The result is that of `JSON.parse`, except that numbers which a
 * double would change become `ExactNumber`. The steps for these numbers are charged before they are parsed. @throws
 * StepsExceededError
 */
export function readData(text: string, meter: StepMeter = unlimitedMeter): unknown {
  if (!longNumber.test(text)) return JSON.parse(text);
  const takes = (number: string) => {
    if (number.length < shortest || !longNumber.test(number)) return false;
    meter.charge(stepsOfLongNumber);
    return true;
  };
  return parseWithNumbers(text, { takes, read: readNumber });
}
