import {
  kinds,
  quotient,
  scaledText,
  toJson,
  unitsAt,
  type CelNumber,
  type ScaledDecimal,
  placesOf,
  tens,
} from '#cel';
import { exactNumber, type FoldOperation } from './fold-operation.js';

/**
 * An exact sum, `units` / 10 ** `scale`. The scale is the largest number of decimal places of a summand. Units outside
 * the safe integer range are the text of an integer.
 */
type ExactSum = readonly [units: number | string, scale: number];

const zero: ExactSum = [0, 0];

/** `sum`: the exact sum of numbers of any size: ten times 0.1 is 1. Without values the sum is 0. */
export const sum: FoldOperation<ExactSum> = {
  takes: kinds.number,
  resultType: 'sum',
  empty: zero,
  add: (state, value) => addToTotal(state, value as CelNumber),
  merge: mergeTotals,
  result: totalText,
};

/** `avg`: exact up to 34 significant digits, otherwise the nearest double. Null without values. */
export const avg: FoldOperation<readonly [total: ExactSum, count: number]> = {
  takes: kinds.number,
  resultType: 'mean',
  empty: [zero, 0],
  add: ([total, count], value) => [addToTotal(total, value as CelNumber), count + 1],
  merge: (a, b) => [mergeTotals(a[0], b[0]), a[1] + b[1]],
  result: ([total, count]) => (count === 0 ? 'null' : mean(total, count)),
};

function mean(total: ExactSum, count: number): string {
  const value = quotient(exactTotal(total), { units: BigInt(count), scale: 0 });
  return toJson(value, { maxLength: Infinity }) as string;
}

/** Returns the sum plus a number. @throws FoldRejectedError for more than 308 digits before its point or 400 after */
function addToTotal(total: ExactSum, value: CelNumber): ExactSum {
  const [units, scale] = total;
  if (typeof value === 'number' && typeof units === 'number') {
    const places = placesOf(value, scale);
    const ten = tens[places - scale];
    if (ten !== undefined) {
      const before = units * ten;
      const after = before + Math.round(value * tens[places]!);
      if (Number.isSafeInteger(before) && Number.isSafeInteger(after)) return [after, places];
    }
  }
  return sumOf(exactTotal(total), exactNumber(value));
}

function mergeTotals(a: ExactSum, b: ExactSum): ExactSum {
  if (a[1] === b[1] && typeof a[0] === 'number' && typeof b[0] === 'number') {
    const units = a[0] + b[0];
    if (Number.isSafeInteger(units)) return [units, a[1]];
  }
  return sumOf(exactTotal(a), exactTotal(b));
}

function totalText(total: ExactSum): string {
  return total[1] === 0 ? String(total[0]) : scaledText(exactTotal(total));
}

function exactTotal([units, scale]: ExactSum): ScaledDecimal {
  return { units: BigInt(units), scale };
}

function sumOf(a: ScaledDecimal, b: ScaledDecimal): ExactSum {
  const scale = Math.max(a.scale, b.scale);
  const units = unitsAt(a, scale) + unitsAt(b, scale);
  const small = Number(units);
  return [Number.isSafeInteger(small) ? small : units.toString(), scale];
}
