import {
  DecimalText,
  readDecimal,
  scaledText,
  type CelNumber,
  kinds,
  compare,
  compareNumeric,
  Duration,
  isNumeric,
  Timestamp,
  type CelValue,
} from '#cel';
import { exactNumber, storedText, type FoldOperation } from './fold-operation.js';

/** A value that has an order, as JSON: a double that is exact, or the kind with the text or the microseconds. */
export type KeptValue = number | readonly [kind: ValueKind, text: string | number];

/** The smallest or largest value; null before the first. */
type MinOrMaxState = null | KeptValue;

/** The kinds of values that have an order. */
export const orderedKinds = kinds.number | kinds.duration | kinds.timestamp | kinds.string;

/** Kinds of values in their order: any number is less than any duration, and so on. */
const kindOrder = ['number', 'duration', 'timestamp', 'string'] as const;
type ValueKind = (typeof kindOrder)[number];

/**
 * Returns the operation for the smallest value (`sign` 1) or the largest (-1): numbers by size, then durations, times,
 * and strings by code point. Null without values.
 */
function minOrMax(sign: 1 | -1): FoldOperation<MinOrMaxState> {
  const better = (state: MinOrMaxState, value: CelValue) =>
    state === null || sign * order(value, read(state)) < 0;
  return {
    takes: orderedKinds,
    resultType: 'value',
    empty: null,
    add: (state, value) => {
      if (typeof value === 'number' && typeof state === 'number') {
        return sign * (value - state) < 0 ? value + 0 : state;
      }
      return better(state, value) ? kept(value) : state;
    },
    merge: (a, b) => (a === null || (b !== null && better(a, read(b))) ? b : a),
    result: (state) => (state === null ? 'null' : storedText(read(state))),
  };
}

/** Compares two values in the order of `min` and `max`. */
export function compareKept(a: KeptValue, b: KeptValue): number {
  return typeof a === 'number' && typeof b === 'number' ? a - b : order(read(a), read(b));
}

/** Compares two values. Numbers of too many digits for expressions are compared exactly, too. */
function order(a: CelValue, b: CelValue): number {
  const kindDifference = kindOrder.indexOf(kindOf(a)) - kindOrder.indexOf(kindOf(b));
  if (kindDifference !== 0) return kindDifference;
  return compare(a, b, 0) || (isNumeric(a) && isNumeric(b) && compareNumeric(a, b)) || 0;
}

function kindOf(value: CelValue): ValueKind {
  if (isNumeric(value)) return 'number';
  if (value instanceof Duration) return 'duration';
  return value instanceof Timestamp ? 'timestamp' : 'string';
}

/** Returns a value of `orderedKinds` as JSON. @throws FoldRejectedError if it is too large */
export function kept(value: CelValue): KeptValue {
  // Adding 0 turns -0 into 0, because JSON.stringify does not keep the sign of zero.
  if (typeof value === 'number') return value + 0;
  if (value instanceof Duration) return ['duration', value.micros];
  if (value instanceof Timestamp) return ['timestamp', value.micros];
  if (typeof value === 'string') {
    storedText(value);
    return ['string', value];
  }
  return ['number', scaledText(exactNumber(value as CelNumber))];
}

export function read(state: KeptValue): CelValue {
  if (typeof state === 'number') return state;
  const [kind, value] = state;
  if (kind === 'duration') return new Duration(value as number);
  if (kind === 'timestamp') return new Timestamp(value as number);
  if (kind === 'string') return value;
  const exact = readDecimal(value as string);
  return exact?.scale === 0 ? exact.units : new DecimalText(value as string);
}

/** `min`: the smallest value; numbers are smaller than durations, then times, then strings. */
export const min = minOrMax(1);

/** `max`: the largest value, in the same order as `min`. */
export const max = minOrMax(-1);
