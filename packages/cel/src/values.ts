import { compareUtf8 } from '#json';
import { spend, spendOnText } from './budget.js';
import { compareScaled, DecimalText, scaledDecimal, type CelNumber } from './decimal.js';
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

/** A value of an expression. Numbers are `CelNumber`s. */
export type CelValue =
  | null
  | boolean
  | number
  | bigint
  | DecimalText
  | string
  | Timestamp
  | Duration
  | readonly CelValue[]
  | { readonly [name: string]: CelValue };

/** An object as a value of a CEL expression. */
export type CelObject = { readonly [name: string]: CelValue };

/** A CEL function or method; a method's object is the first argument. `at` is the call's position in the text. */
export type CelFunction = (args: readonly CelValue[], at: number) => CelValue;

/** An object whose members are properties that are undefined until `read` computes them, such as from JSON text. */
export abstract class LazyObject {
  /** Computes a member whose property is undefined, stores it in the property, and returns it. */
  abstract read(name: string): CelValue;
}

/** Returns a member that the object has; a member of a LazyObject is computed here on first use. */
export function memberValue(of: CelObject, name: string): CelValue {
  const value = of[name];
  // JSON has no undefined: only a member that is not computed yet is undefined.
  return value === undefined && of instanceof LazyObject ? of.read(name) : (value as CelValue);
}

export function isNumber(value: CelValue): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** Returns whether a CEL value is a number, in any of its three forms: double, bigint, Decimal. */
export function isNumeric(value: CelValue): value is CelNumber {
  return isNumber(value) || value instanceof DecimalText;
}

export function isList(value: CelValue): value is readonly CelValue[] {
  return Array.isArray(value);
}

export function isObject(value: CelValue): value is CelObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Timestamp) &&
    !(value instanceof Duration) &&
    !(value instanceof DecimalText)
  );
}

/** Returns the name of a value's kind, for messages. */
export function kindOf(value: CelValue): string {
  if (value === null) return 'null';
  if (isNumeric(value)) return 'number';
  if (isList(value)) return 'list';
  if (value instanceof Timestamp) return 'timestamp';
  if (value instanceof Duration) return 'duration';
  return typeof value;
}

export function needBool(value: CelValue, at: number): boolean {
  if (typeof value === 'boolean') return value;
  throw new EvaluationError(`A bool is needed, this is a ${kindOf(value)}.`, at);
}

export function needString(value: CelValue, at: number): string {
  if (typeof value === 'string') return value;
  throw new EvaluationError(`A string is needed, this is a ${kindOf(value)}.`, at);
}

/** Returns whether two values are of the same kind and equal, also 5 and 5.0, and lists and objects by members. */
export function equal(a: CelValue, b: CelValue): boolean {
  if (typeof a === 'string') return equalText(a, b);
  if (a === b) return true;
  if (isNumeric(a)) return isNumeric(b) && orderOf(a, b) === 0;
  if (a instanceof Timestamp) return b instanceof Timestamp && a.micros === b.micros;
  if (a instanceof Duration) return b instanceof Duration && a.micros === b.micros;
  if (isList(a)) {
    spend(a.length);
    return isList(b) && a.length === b.length && a.every((item, i) => equal(item, b[i] as CelValue));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const names = Object.keys(a);
  spend(names.length);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && equal(a[name] as CelValue, b[name] as CelValue))
  );
}

function equalText(a: string, b: CelValue): boolean {
  if (typeof b !== 'string' || a.length !== b.length) return false;
  spendOnText(a.length);
  return a === b;
}

/** Compares two values; text is ordered by code point. @throws EvaluationError if the values have no order */
export function compare(a: CelValue, b: CelValue, at: number): number {
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  if (isNumeric(a) && isNumeric(b)) return orderOf(a, b);
  if (a instanceof Timestamp && b instanceof Timestamp) return a.micros - b.micros;
  if (a instanceof Duration && b instanceof Duration) return a.micros - b.micros;
  throw new EvaluationError(`A ${kindOf(a)} and a ${kindOf(b)} have no order.`, at);
}

/** Compares two numbers exactly; undefined if one has more than 308 digits before its point or 400 after it. */
export function compareNumeric(a: CelNumber, b: CelNumber): number | undefined {
  const [x, y] = [scaledDecimal(a), scaledDecimal(b)];
  return x && y && compareScaled(x, y);
}

function compareText(a: string, b: string): number {
  spend(Math.min(a.length, b.length) / 16);
  return compareUtf8(a, b);
}
