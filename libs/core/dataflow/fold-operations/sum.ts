import { type CelNumber, kinds } from '#cel';
import type { FoldOperation } from './fold-operation.js';
import { addToTotal, mergeTotals, totalText, zero, type ExactSum } from './exact-sum.js';

/** `sum`: the exact sum of numbers of any size: ten times 0.1 is 1. Without values the sum is 0. */
export const sum: FoldOperation<ExactSum> = {
  takes: kinds.number,
  resultType: 'sum',
  empty: zero,
  add: (state, value) => addToTotal(state, value as CelNumber),
  merge: mergeTotals,
  result: totalText,
};
