import { EvaluationError } from './errors.js';

/** Microseconds since 1970. */
export class Timestamp {
  constructor(readonly micros: number) {}
}

/** Microseconds. */
export class Duration {
  constructor(readonly micros: number) {}
}

/** What an expression works with. Whole numbers outside of the safe range are bigints, all others are numbers. */
export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | Timestamp
  | Duration
  | readonly Value[]
  | { readonly [name: string]: Value };

export type ValueObject = { readonly [name: string]: Value };

export function isNumber(value: Value): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
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
    !(value instanceof Duration)
  );
}

/** The kind of a value, as messages name it. */
export function kindOf(value: Value): string {
  if (value === null) return 'null';
  if (isNumber(value)) return 'number';
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

/** Equal and of one kind; 5, 5.0 and a bigint 5 are the same number. Lists and objects compare by their members. */
export function equal(a: Value, b: Value): boolean {
  if (a === b) return true;
  // A number and a bigint compare exactly by value.
  if (isNumber(a) && isNumber(b)) return a == b;
  if (a instanceof Timestamp) return b instanceof Timestamp && a.micros === b.micros;
  if (a instanceof Duration) return b instanceof Duration && a.micros === b.micros;
  if (isList(a))
    return isList(b) && a.length === b.length && a.every((item, i) => equal(item, b[i] as Value));
  if (!isObject(a) || !isObject(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && equal(a[name] as Value, b[name] as Value))
  );
}

/** Negative, zero or positive. Text is ordered by code point. @throws EvaluationError when the two have no order. */
export function compare(a: Value, b: Value, at: number): number {
  if (isNumber(a) && isNumber(b)) return a < b ? -1 : a > b ? 1 : a == b ? 0 : NaN;
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  if (a instanceof Timestamp && b instanceof Timestamp) return a.micros - b.micros;
  if (a instanceof Duration && b instanceof Duration) return a.micros - b.micros;
  throw new EvaluationError(`A ${kindOf(a)} and a ${kindOf(b)} have no order.`, at);
}

function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    // Surrogates stand for code points past U+FFFF, but are smaller than U+E000 to U+FFFF.
    if (x !== y) return isSurrogate(x) === isSurrogate(y) ? x - y : isSurrogate(x) ? 1 : -1;
  }
  return a.length - b.length;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}
