import { parseWithNumbers } from '#event';
import { readNumber } from '../values/decimal.js';
import { unmetered, type Meter } from '../values/meter.js';

/** Sixteen digits, or an exponent of three: nothing of a text without them is a number that a double cannot stand for. */
const longNumber = /\d{16}|[\d.]{17}|[eE][+-]?\d{3}/;
/** `1e100` is the shortest. */
const shortest = 5;
/** What reading one number exactly takes. An event of nothing but numbers of 17 digits has twice as many for each. */
const stepsOfLongNumber = 40;

/**
 * Reads the JSON text of an event's `data` as a value for `CompiledSchema.validate`: as `JSON.parse` reads it, except for
 * numbers that a double would change, which become `ExactNumber`. Those are charged before anything is read.
 * @throws StepsExceeded
 */
export function readData(text: string, meter: Meter = unmetered): unknown {
  if (!longNumber.test(text)) return JSON.parse(text);
  const takes = (number: string) => {
    if (number.length < shortest || !longNumber.test(number)) return false;
    meter.charge(stepsOfLongNumber);
    return true;
  };
  return parseWithNumbers(text, { takes, read: readNumber });
}
