import type { FoldOperation } from './fold-operation.js';

/** `count`: the number of events, exact up to 2^53. */
export const count: FoldOperation<number> = {
  takes: undefined,
  resultType: 'count',
  empty: 0,
  add: (state) => state + 1,
  merge: (a, b) => a + b,
  result: String,
};
