import { type CelNumber, kinds, quotient, toJson } from '#cel';
import type { FoldOperation } from './fold-operation.js';
import { addToTotal, exactTotal, mergeTotals, zero, type ExactSum } from './exact-sum.js';

/**
 * `avg`: the exact sum divided by the count, exact up to 34 significant digits, otherwise the nearest double. Null
 * without values.
 */
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
