import { spend, spendOnText } from './budget.js';
import {
  compareScaled,
  nearestQuotient,
  numeric,
  powerOfTen,
  readDecimal,
  scaledDecimal,
  unitsAt,
  type CelNumber,
  type ScaledDecimal,
} from './decimal.js';
import { EvaluationError } from './errors.js';
import { computable, computableNumbers, decimalPlaces, isComputable } from './number-range.js';
import { smallProduct, smallSum } from './small-decimal.js';
import { isNumeric, kindOf, Timestamp, type CelValue } from './values.js';

/*
 * Arithmetic on the exact decimals of the original texts: 0.1 + 0.2 is 0.3, and 9007199254740993 is itself. Operands
 * and results are in the range of `computable`; any other number is an error. Sums, differences and remainders are
 * exact. Products are cut off after 36 decimal places. ClickHouse computes the same for a `where`.
 */

export function plus(a: CelNumber, b: CelNumber, at: number): CelNumber {
  const small = typeof a === 'number' && typeof b === 'number' ? smallSum(a, b) : undefined;
  if (small !== undefined) return small;
  const [x, y] = [scaledInRange(a, at), scaledInRange(b, at)];
  const scale = Math.max(x.scale, y.scale);
  return made({ units: unitsAt(x, scale) + unitsAt(y, scale), scale }, at);
}

export function minus(a: CelNumber, b: CelNumber, at: number): CelNumber {
  return plus(a, negated(b, at), at);
}

export function negated(value: CelNumber, at: number): CelNumber {
  const { units, scale } = scaledInRange(value, at);
  return typeof value === 'object' ? made({ units: -units, scale }, at) : -value;
}

export function times(a: CelNumber, b: CelNumber, at: number): CelNumber {
  const small = typeof a === 'number' && typeof b === 'number' ? smallProduct(a, b) : undefined;
  if (small !== undefined) return small;
  const [x, y] = [scaledInRange(a, at), scaledInRange(b, at)];
  return made({ units: x.units * y.units, scale: x.scale + y.scale }, at);
}

/**
 * Divides: the quotient is exact if it has at most 36 decimal places; otherwise it is the nearest double, cut off after
 * 36 decimal places. A divisor has at most 21 digits before its point, because ClickHouse's long division supports no
 * more.
 */
export function divided(a: CelNumber, b: CelNumber, at: number): CelNumber {
  const [x, y] = [scaledInRange(a, at), divisor(b, at)];
  if (compareScaled(magnitude(y), largestDivisor) >= 0) throw new EvaluationError(divisorTooLarge, at);
  const scale = Math.max(x.scale, y.scale);
  const [above, below] = [unitsAt(x, scale) * powerOfTen(decimalPlaces), unitsAt(y, scale)];
  const units = above / below;
  if (units * below === above) return made({ units, scale: decimalPlaces }, at);
  return made(scaledDecimal(nearestQuotient(units, decimalPlaces)) as ScaledDecimal, at);
}

/** Returns the remainder, with the sign of the dividend. */
export function remainder(a: CelNumber, b: CelNumber, at: number): CelNumber {
  // Adding 0 turns a remainder of -0 into 0.
  if (Number.isSafeInteger(a) && Number.isSafeInteger(b) && b !== 0) return (Number(a) % Number(b)) + 0;
  const [x, y] = [scaledInRange(a, at), divisor(b, at)];
  const scale = Math.max(x.scale, y.scale);
  return made({ units: unitsAt(x, scale) % unitsAt(y, scale), scale }, at);
}

/** Returns the whole part of a number or of a number's text; for a time, the whole seconds since 1970. */
export function toInt(value: CelValue, at: number): CelNumber {
  if (value instanceof Timestamp) return Math.floor(value.micros / 1_000_000);
  if (typeof value === 'string' && /^[+-]?[0-9]{1,19}$/.test(value)) return read(value, at);
  if (!isNumeric(value)) throw notANumber(value, at);
  const { units, scale } = scaledInRange(value, at);
  return made({ units: units / powerOfTen(scale), scale: 0 }, at);
}

/** Returns the exact decimal of a number or of a number's text, without rounding. */
export function toDouble(value: CelValue, at: number): CelNumber {
  if (isNumeric(value)) return value;
  if (typeof value === 'string') spendOnText(value.length * 2);
  const form = /^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$/;
  if (typeof value === 'string' && form.test(value)) return read(value, at);
  throw notANumber(value, at);
}

/** Returns the text of a number with all digits, without an exponent and without superfluous zeros. */
export function numberText(value: CelNumber, at: number): string {
  const { units, scale } = scaledInRange(value, at);
  if (scale === 0) return units.toString();
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
  return `${units < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** Returns the exact decimal of a number. @throws EvaluationError if computations do not support the number */
export function scaledInRange(value: CelNumber, at: number): ScaledDecimal {
  return computable(value) ?? outOfRange(at);
}

const largestDivisor: ScaledDecimal = { units: 10n ** 21n, scale: 0 };
const divisorTooLarge = 'A divisor has at most 21 digits before its point.';

function magnitude({ units, scale }: ScaledDecimal): ScaledDecimal {
  return { units: units < 0n ? -units : units, scale };
}

function divisor(value: CelNumber, at: number): ScaledDecimal {
  const divisor = scaledInRange(value, at);
  if (divisor.units === 0n) throw new EvaluationError('Division by zero.', at);
  return divisor;
}

function read(text: string, at: number): CelNumber {
  const value = readDecimal(text);
  return value && isComputable(value) ? (numeric(value) as CelNumber) : outOfRange(at);
}

/** Number of steps charged for a computation for which doubles are not enough. */
const stepsOfLongNumbers = 40;

/** Returns the result of a computation, cut off after 36 places. @throws EvaluationError above 39 whole digits */
function made({ units, scale }: ScaledDecimal, at: number): CelNumber {
  spend(stepsOfLongNumbers);
  const excess = scale - decimalPlaces;
  const cut = excess > 0 ? { units: units / powerOfTen(excess), scale: decimalPlaces } : { units, scale };
  const value = numeric(cut);
  return value !== undefined && computable(value) ? value : outOfRange(at);
}

function notANumber(value: CelValue, at: number): EvaluationError {
  return new EvaluationError(`This ${kindOf(value)} is not a number.`, at);
}

function outOfRange(at: number): never {
  throw new EvaluationError(`A number in a computation has at most ${computableNumbers}.`, at);
}
