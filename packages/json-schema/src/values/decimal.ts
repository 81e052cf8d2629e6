import { unlimitedMeter, type StepMeter } from './step-meter.js';

/** ± digits × 10^exponent. The digits have no leading or trailing zeros; for zero they are empty. */
interface DecimalDigits {
  readonly negative: boolean;
  readonly digits: string;
  readonly exponent: number;
}

/** A number of a value that a double cannot represent, because it has too many digits or too large an exponent. */
export class ExactNumber implements DecimalDigits {
  readonly negative: boolean;
  readonly digits: string;
  readonly exponent: number;

  constructor({ negative, digits, exponent }: DecimalDigits) {
    this.negative = negative;
    this.digits = digits;
    this.exponent = exponent;
  }

  /** A text that is equal for two exact numbers only if the numbers are equal. */
  get text(): string {
    return `${this.negative ? '-' : ''}${this.digits}e${this.exponent}`;
  }
}

/** A number of JSON Schema. A double is the decimal of its shortest text: 0.1 is exactly one tenth. */
export type JsonNumber = number | ExactNumber;

const form = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Reads a JSON number: as a double if the double's shortest text denotes the same number, otherwise exactly. */
export function readNumber(text: string): JsonNumber {
  const near = Number(text);
  const exact = decimalOfText(text);
  if (exact.digits === '') return 0;
  return Number.isFinite(near) && areSame(decimalOf(near), exact) ? near : new ExactNumber(exact);
}

export function isInteger(value: JsonNumber): boolean {
  return typeof value === 'number' ? Number.isInteger(value) : value.exponent >= 0;
}

/** Returns a negative number if `value` is less than `bound`, a positive one if greater, 0 if equal. */
export function compareNumbers(value: JsonNumber, bound: number): number {
  if (typeof value === 'number') return value < bound ? -1 : value > bound ? 1 : 0;
  const other = decimalOf(bound);
  const sign = signOf(value);
  return sign === signOf(other) ? sign * compareMagnitudes(value, other) : sign - signOf(other);
}

/** Number of validation steps charged for one division of exact decimals, besides one for each digit. */
const stepsOfDivision = 100;

/**
 * Returns a function that tests whether a number is a multiple of `divisor`, both taken as decimals: 19.99 is
 * a multiple of 0.01, although division in floating point says otherwise. The time depends on the number's
 * digits, never on its exponent.
 */
export function isMultipleOf(divisor: number): (value: JsonNumber, meter?: StepMeter) => boolean {
  const step = decimalOf(divisor);
  const power = 10 ** -step.exponent;
  const digits = Number(step.digits);
  const simple = step.exponent > -22 && step.exponent <= 0;
  return (value, meter = unlimitedMeter) => {
    if (typeof value !== 'number') {
      meter.charge(stepsOfDivision + value.digits.length);
      return dividesExactly(value, step);
    }
    if (!Number.isFinite(value)) return true;
    const scaled = Math.round(value * power);
    // For such small values, the product and the quotient are correctly rounded, so the test is exact.
    if (simple && Math.abs(scaled) < 2 ** 51) return scaled / power === value && scaled % digits === 0;
    meter.charge(stepsOfDivision);
    return dividesExactly(decimalOf(value), step);
  };
}

/**
 * Returns whether `value` is a multiple of `step`. The digits of both have no factor of ten, so a number with a smaller
 * exponent cannot be a multiple.
 */
function dividesExactly(value: DecimalDigits, step: DecimalDigits): boolean {
  if (value.digits === '') return true;
  if (value.exponent < step.exponent) return false;
  const divisor = BigInt(step.digits);
  const factor = powerOfTen(BigInt(value.exponent - step.exponent), divisor);
  return (remainder(value.digits, divisor) * factor) % divisor === 0n;
}

const chunk = 15;

function remainder(digits: string, divisor: bigint): bigint {
  let rest = 0n;
  for (let i = 0; i < digits.length; i += chunk) {
    const part = digits.slice(i, i + chunk);
    rest = (rest * 10n ** BigInt(part.length) + BigInt(part)) % divisor;
  }
  return rest;
}

/** Returns 10^exponent modulo `divisor`, by repeated squaring. */
function powerOfTen(exponent: bigint, divisor: bigint): bigint {
  let result = 1n % divisor;
  let base = 10n % divisor;
  for (let left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) result = (result * base) % divisor;
    base = (base * base) % divisor;
  }
  return result;
}

/** Returns the decimal that the shortest text of a double denotes. */
function decimalOf(value: number): DecimalDigits {
  return decimalOfText(Number.isFinite(value) ? value.toExponential() : `${value > 0 ? '' : '-'}1e999`);
}

/** Larger exponents are treated as equal: no text can contain all digits of such a number. */
const farthest = 2 ** 52;

function decimalOfText(text: string): DecimalDigits {
  const [, sign, whole = '0', fraction = '', power = '0'] = form.exec(text) ?? [];
  const all = whole + fraction;
  let start = 0;
  let end = all.length;
  while (start < end && all.charCodeAt(start) === 0x30) start++;
  while (end > start && all.charCodeAt(end - 1) === 0x30) end--;
  if (start === end) return { negative: false, digits: '', exponent: 0 };
  const exponent = Number(power) - fraction.length + (all.length - end);
  return {
    negative: sign === '-',
    digits: all.slice(start, end),
    exponent: Math.max(-farthest, Math.min(farthest, exponent)),
  };
}

function areSame(a: DecimalDigits, b: DecimalDigits): boolean {
  return a.digits === b.digits && a.exponent === b.exponent && a.negative === b.negative;
}

function signOf({ negative, digits }: DecimalDigits): number {
  return digits === '' ? 0 : negative ? -1 : 1;
}

function compareMagnitudes(a: DecimalDigits, b: DecimalDigits): number {
  const places = a.digits.length + a.exponent - (b.digits.length + b.exponent);
  if (places !== 0) return places;
  return a.digits < b.digits ? -1 : a.digits > b.digits ? 1 : 0;
}
