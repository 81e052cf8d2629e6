import { collect } from './collect.js';
import { countDistinct } from './count-distinct.js';
import { count } from './count.js';
import { first, last } from './first-or-last.js';
import type { FoldOperation } from './fold-operation.js';
import { merge } from './merge.js';
import { max, min } from './min-or-max.js';
import { quantile } from './quantile.js';
import { avg, sum } from './sum-and-avg.js';
import { top } from './top.js';

/** All fold operations by their names in definitions. */
export const foldOperations: Readonly<Record<string, FoldOperation>> = {
  count,
  sum,
  min,
  max,
  avg,
  first,
  last,
  count_distinct: countDistinct,
  collect,
  merge,
  top: top(10),
  quantile: quantile([0.5]),
};
