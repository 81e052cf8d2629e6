import type { ComparisonRule } from './comparison.js';
import {
  additionalProperties,
  patternProperties,
  properties,
  unevaluatedProperties,
  dependentRequired,
  dependentSchemas,
  propertyNames,
  required,
} from './object-rules.js';
import { contains, items, uniqueItems } from './array-rules.js';
import { anyOf, conditions, not, oneOf } from './combination-rules.js';
import { bounds, counts, multiple, format, pattern, types, values } from './scalar-rules.js';

/** All rules for comparing two schemas; together they cover every keyword of JSON Schema that can reject a value. */
export const rules: readonly ComparisonRule[] = [
  types,
  values,
  bounds,
  multiple,
  counts,
  pattern,
  format,
  required,
  properties,
  patternProperties,
  additionalProperties,
  unevaluatedProperties,
  propertyNames,
  dependentRequired,
  dependentSchemas,
  items,
  contains,
  uniqueItems,
  anyOf,
  oneOf,
  not,
  conditions,
];
