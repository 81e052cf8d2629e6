import { digitsOf, numeric, powerOfTen, readDecimal, type Numeric, type Scaled } from './decimal.js';

/** What a quotient has at most where it is exact. */
const significantDigits = 34;

/**
 * `dividend` / `divisor`: exact where 34 significant digits say it, else the double nearest to it, which is infinite past
 * the largest. `divisor` is not zero.
 */
export function quotient(dividend: Scaled, divisor: Scaled): Numeric {
  const above = dividend.units * powerOfTen(divisor.scale);
  const below = divisor.units * powerOfTen(dividend.scale);
  const scale = Math.max(significantDigits + digitsOf(below) - digitsOf(above), 0);
  const shifted = above * powerOfTen(scale);
  const units = shifted / below;
  const exact = units * below === shifted ? numeric({ units, scale }) : undefined;
  return exact ?? wholeExactly(nearest(units, scale));
}

/** One more digit, which is not 0, tells what lies exactly in the middle of two doubles from what lies past it. */
function nearest(units: bigint, scale: number): number {
  return Number(`${units}1e-${scale + 1}`);
}

function wholeExactly(value: number): Numeric {
  const read = readDecimal(String(value));
  return (read && numeric(read)) ?? value;
}
