import { branch } from './branch.js';
import { dedupe } from './dedupe.js';
import { emit } from './emit.js';
import { enrich } from './enrich.js';
import { filter } from './filter.js';
import { flatMap } from './flat-map.js';
import { map } from './map.js';
import type { OperatorImplementation } from './operator.js';
import { reduce } from './reduce.js';
import { webhook } from './webhook.js';
import { window } from './window.js';

/** All operators by their names in definitions. */
export const operators: Readonly<Record<string, OperatorImplementation>> = {
  filter,
  map,
  flat_map: flatMap,
  enrich,
  dedupe,
  window,
  reduce,
  branch,
  emit,
  webhook,
};
