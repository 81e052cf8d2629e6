import { spend, spendOnText } from './budget.js';
import {
  compareScaled,
  DecimalText,
  powerOfTen,
  scaledDecimal,
  type CelNumber,
  type ScaledDecimal,
} from './decimal.js';

/**
 * Maximum digits of a number in a computation, before its point and after it: ClickHouse's widest decimal, of 76
 * digits, can represent the sum of any two, so an expression has the same value there.
 */
export const wholeDigits = 39;
export const decimalPlaces = 36;

/** Number of steps charged for a comparison of numbers of which one is not a double. */
const stepsOfLongNumbers = 20;

/** The limits of numbers in computations, as text for messages. */
export const computableNumbers = `${wholeDigits} digits before and ${decimalPlaces} after its point`;

/** Returns the exact decimal of a number; undefined if expressions cannot compute with it. */
export function computable(value: CelNumber): ScaledDecimal | undefined {
  if (value instanceof DecimalText) spendOnText(value.text.length);
  const exact = scaledDecimal(value);
  return exact && isComputable(exact) ? exact : undefined;
}

export function isComputable({ units, scale }: ScaledDecimal): boolean {
  if (scale > decimalPlaces) return false;
  const most = powerOfTen(wholeDigits + scale);
  return units < most && units > -most;
}

/** Compares two numbers: exactly if computations support both, otherwise as their nearest doubles. */
export function orderOf(a: CelNumber, b: CelNumber): number {
  const [x, y] = [nearestDouble(a), nearestDouble(b)];
  if (x !== y) return x < y ? -1 : 1;
  if (typeof a === 'number' && typeof b === 'number') return 0;
  spend(stepsOfLongNumbers);
  const [exactA, exactB] = [computable(a), computable(b)];
  return exactA && exactB ? compareScaled(exactA, exactB) : 0;
}

/** Returns the nearest finite double: a larger number becomes the largest double. */
function nearestDouble(value: CelNumber): number {
  if (typeof value === 'number') return value;
  if (value instanceof DecimalText) spendOnText(value.text.length);
  const near = Number(typeof value === 'bigint' ? value : value.text);
  return Math.min(Math.max(near, -Number.MAX_VALUE), Number.MAX_VALUE);
}
