import { spend, spendOnText } from './budget.js';
import { compareScaled, Decimal, powerOfTen, scaled, type Numeric, type Scaled } from './decimal.js';

/**
 * What is computed with: so many digits before and after the point. ClickHouse's widest decimal, of 76 digits, holds the
 * sum of any two of them, so that the same expression has the same value there.
 */
export const wholeDigits = 39;
export const decimalPlaces = 36;

/** What comparing more than doubles takes, in steps of the budget. */
const stepsOfLongNumbers = 20;

/** For messages. */
export const computableNumbers = `${wholeDigits} digits before and ${decimalPlaces} after its point`;

/** The exact value of a number that is computed with; undefined for any other. */
export function computable(value: Numeric): Scaled | undefined {
  if (value instanceof Decimal) spendOnText(value.text.length);
  const exact = scaled(value);
  return exact && isComputable(exact) ? exact : undefined;
}

export function isComputable({ units, scale }: Scaled): boolean {
  if (scale > decimalPlaces) return false;
  const most = powerOfTen(wholeDigits + scale);
  return units < most && units > -most;
}

/**
 * The order of two numbers: negative, zero or positive. It is exact between numbers that are computed with; another one
 * counts as the double nearest to it.
 */
export function orderOf(a: Numeric, b: Numeric): number {
  const [x, y] = [nearestDouble(a), nearestDouble(b)];
  if (x !== y) return x < y ? -1 : 1;
  if (typeof a === 'number' && typeof b === 'number') return 0;
  spend(stepsOfLongNumbers);
  const [exactA, exactB] = [computable(a), computable(b)];
  return exactA && exactB ? compareScaled(exactA, exactB) : 0;
}

/** Finite: what is past the largest double is the largest. */
function nearestDouble(value: Numeric): number {
  if (typeof value === 'number') return value;
  if (value instanceof Decimal) spendOnText(value.text.length);
  const near = Number(typeof value === 'bigint' ? value : value.text);
  return Math.min(Math.max(near, -Number.MAX_VALUE), Number.MAX_VALUE);
}
