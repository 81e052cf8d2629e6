import { unmetered, type Meter } from './meter.js';

/** A decimal number, exactly: ± digits × 10^exponent. The digits have no zero at either end; zero has none. */
export interface Decimal {
  readonly negative: boolean;
  readonly digits: string;
  readonly exponent: number;
}

/** A number of an event that no double stands for, because its digits or its exponent are too many. */
export class ExactNumber implements Decimal {
  readonly negative: boolean;
  readonly digits: string;
  readonly exponent: number;

  constructor({ negative, digits, exponent }: Decimal) {
    this.negative = negative;
    this.digits = digits;
    this.exponent = exponent;
  }

  /** Equal numbers have equal texts. */
  get text(): string {
    return `${this.negative ? '-' : ''}${this.digits}e${this.exponent}`;
  }
}

/** A number as JSON Schema sees it. A double stands for the decimal that its shortest text says: 0.1 is one tenth. */
export type Numeric = number | ExactNumber;

const form = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** The number that a JSON text says: a double where the double's shortest text says the same. */
export function readNumber(text: string): Numeric {
  const near = Number(text);
  const exact = decimalOfText(text);
  if (exact.digits === '') return 0;
  return Number.isFinite(near) && areSame(decimalOf(near), exact) ? near : new ExactNumber(exact);
}

export function isInteger(value: Numeric): boolean {
  return typeof value === 'number' ? Number.isInteger(value) : value.exponent >= 0;
}

/** Negative when `value` is less than `bound`, positive when it is more, 0 when they are equal. */
export function compareNumbers(value: Numeric, bound: number): number {
  if (typeof value === 'number') return value < bound ? -1 : value > bound ? 1 : 0;
  const other = decimalOf(bound);
  const sign = signOf(value);
  return sign === signOf(other) ? sign * compareMagnitudes(value, other) : sign - signOf(other);
}

/** What dividing more than doubles takes, apart from the digits. */
const stepsOfDivision = 100;

/**
 * Whether a number is a multiple of `divisor`, as both are written in decimal: 19.99 is a multiple of 0.01, which
 * division in floating point denies. The time depends on the number's digits, never on its exponent.
 */
export function multipleOf(divisor: number): (value: Numeric, meter?: Meter) => boolean {
  const step = decimalOf(divisor);
  const power = 10 ** -step.exponent;
  const digits = Number(step.digits);
  const simple = step.exponent > -22 && step.exponent <= 0;
  return (value, meter = unmetered) => {
    if (typeof value !== 'number') {
      meter.charge(stepsOfDivision + value.digits.length);
      return dividesExactly(value, step);
    }
    if (!Number.isFinite(value)) return true;
    const scaled = Math.round(value * power);
    // So small that both the product and the quotient are the nearest there are: exact.
    if (simple && Math.abs(scaled) < 2 ** 51) return scaled / power === value && scaled % digits === 0;
    meter.charge(stepsOfDivision);
    return dividesExactly(decimalOf(value), step);
  };
}

/** Both have no factor of ten left in their digits, so a number with a smaller exponent is no multiple. */
function dividesExactly(value: Decimal, step: Decimal): boolean {
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

/** 10^exponent modulo `divisor`, by squaring. */
function powerOfTen(exponent: bigint, divisor: bigint): bigint {
  let result = 1n % divisor;
  let base = 10n % divisor;
  for (let left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) result = (result * base) % divisor;
    base = (base * base) % divisor;
  }
  return result;
}

/** The decimal that the shortest text of a double says. */
export function decimalOf(value: number): Decimal {
  return decimalOfText(Number.isFinite(value) ? value.toExponential() : `${value > 0 ? '' : '-'}1e999`);
}

/** Beyond this, exponents are taken for equal: no text of an event writes such a number out. */
const farthest = 2 ** 52;

function decimalOfText(text: string): Decimal {
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

function areSame(a: Decimal, b: Decimal): boolean {
  return a.digits === b.digits && a.exponent === b.exponent && a.negative === b.negative;
}

function signOf({ negative, digits }: Decimal): number {
  return digits === '' ? 0 : negative ? -1 : 1;
}

function compareMagnitudes(a: Decimal, b: Decimal): number {
  const places = a.digits.length + a.exponent - (b.digits.length + b.exponent);
  if (places !== 0) return places;
  return a.digits < b.digits ? -1 : a.digits > b.digits ? 1 : 0;
}
