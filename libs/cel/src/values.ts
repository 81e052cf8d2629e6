import { compareUtf8 } from '#event';
import { spend, spendOnText } from './budget.js';
import { compareScaled, Decimal, scaledDecimal, type Numeric } from './decimal.js';
import { EvaluationError } from './errors.js';
import { orderOf } from './number-range.js';

/** A CEL timestamp: a point in time, in microseconds since 1970. */
export class Timestamp {
  constructor(readonly micros: number) {}
}

/** A CEL duration: a length of time in microseconds, which may be negative. */
export class Duration {
  constructor(readonly micros: number) {}
}

/**
 * A value of a CEL expression. Whole numbers outside the safe range of doubles are bigints. Other numbers are doubles,
 * or Decimals if no double's shortest text is the same number.
 */
export type Value =
  | null
  | boolean
  | number
  | bigint
  | Decimal
  | string
  | Timestamp
  | Duration
  | readonly Value[]
  | { readonly [name: string]: Value };

/** An object as a value of a CEL expression. */
export type ValueObject = { readonly [name: string]: Value };

export function isNumber(value: Value): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** Returns whether a CEL value is a number, in any of its three forms: double, bigint, Decimal. */
export function isNumeric(value: Value): value is Numeric {
  return isNumber(value) || value instanceof Decimal;
}

export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

export function isObject(value: Value): value is ValueObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Timestamp) &&
    !(value instanceof Duration) &&
    !(value instanceof Decimal)
  );
}

/** Returns the name of a value's kind, for messages. */
export function kindOf(value: Value): string {
  if (value === null) return 'null';
  if (isNumeric(value)) return 'number';
  if (isList(value)) return 'list';
  if (value instanceof Timestamp) return 'timestamp';
  if (value instanceof Duration) return 'duration';
  return typeof value;
}

export function needBool(value: Value, at: number): boolean {
  if (typeof value === 'boolean') return value;
  throw new EvaluationError(`A bool is needed, this is a ${kindOf(value)}.`, at);
}

export function needString(value: Value, at: number): string {
  if (typeof value === 'string') return value;
  throw new EvaluationError(`A string is needed, this is a ${kindOf(value)}.`, at);
}

/**
 * Returns whether two values are equal and of the same kind. The numbers 5, 5.0 and a bigint 5 are equal. Lists and
 * objects are equal if their members are.
 */
export function equal(a: Value, b: Value): boolean {
  if (typeof a === 'string') return equalText(a, b);
  if (a === b) return true;
  if (isNumeric(a)) return isNumeric(b) && orderOf(a, b) === 0;
  if (a instanceof Timestamp) return b instanceof Timestamp && a.micros === b.micros;
  if (a instanceof Duration) return b instanceof Duration && a.micros === b.micros;
  if (isList(a)) {
    spend(a.length);
    return isList(b) && a.length === b.length && a.every((item, i) => equal(item, b[i] as Value));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const names = Object.keys(a);
  spend(names.length);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && equal(a[name] as Value, b[name] as Value))
  );
}

function equalText(a: string, b: Value): boolean {
  if (typeof b !== 'string' || a.length !== b.length) return false;
  spendOnText(a.length);
  return a === b;
}

/**
 * Compares two values: returns a negative number, zero or a positive number. Text is ordered by code point.
 * @throws EvaluationError if the values have no order
 */
export function compare(a: Value, b: Value, at: number): number {
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  if (isNumeric(a) && isNumeric(b)) return orderOf(a, b);
  if (a instanceof Timestamp && b instanceof Timestamp) return a.micros - b.micros;
  if (a instanceof Duration && b instanceof Duration) return a.micros - b.micros;
  throw new EvaluationError(`A ${kindOf(a)} and a ${kindOf(b)} have no order.`, at);
}

/**
 * Compares two numbers exactly: returns a negative number, zero or a positive number; undefined if one of them has more
 * than 308 digits before its point or 400 after it.
 */
export function compareNumeric(a: Numeric, b: Numeric): number | undefined {
  const [x, y] = [scaledDecimal(a), scaledDecimal(b)];
  return x && y && compareScaled(x, y);
}

function compareText(a: string, b: string): number {
  spend(Math.min(a.length, b.length) / 16);
  return compareUtf8(a, b);
}
