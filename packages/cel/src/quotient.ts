import { digitsOf, numeric, powerOfTen, readDecimal, type CelNumber, type ScaledDecimal } from './decimal.js';

/** Maximum number of significant digits of a quotient that is returned exactly. */
const significantDigits = 34;

/**
 * Returns `dividend` / `divisor`: exact if the quotient has at most 34 significant digits, otherwise the nearest
 * double, which may be infinite. `divisor` is not zero.
 */
export function quotient(dividend: ScaledDecimal, divisor: ScaledDecimal): CelNumber {
  const above = dividend.units * powerOfTen(divisor.scale);
  const below = divisor.units * powerOfTen(dividend.scale);
  const scale = Math.max(significantDigits + digitsOf(below) - digitsOf(above), 0);
  const shifted = above * powerOfTen(scale);
  const units = shifted / below;
  const exact = units * below === shifted ? numeric({ units, scale }) : undefined;
  return exact ?? wholeExactly(nearest(units, scale));
}

/**
 * Returns the nearest double of a cut-off quotient. The appended digit stands for the cut-off rest: without it, a value
 * slightly above the middle of two doubles would be rounded as if it were exactly in the middle.
 */
function nearest(units: bigint, scale: number): number {
  return Number(`${units}1e-${scale + 1}`);
}

function wholeExactly(value: number): CelNumber {
  const read = readDecimal(String(value));
  return (read && numeric(read)) ?? value;
}
