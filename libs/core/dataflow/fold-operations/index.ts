import { avg } from './avg.js';
import { collect } from './collect.js';
import { countDistinct } from './count-distinct.js';
import { count } from './count.js';
import { first } from './first.js';
import type { FoldOperation } from './fold-operation.js';
import { last } from './last.js';
import { max } from './max.js';
import { merge } from './merge.js';
import { min } from './min.js';
import { sum } from './sum.js';

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
};
