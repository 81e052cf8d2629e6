import { schemaBounds } from '../bounds.js';
import { isObject, type Schema } from './schema.js';

/**
 * Steps that a schema takes of its own for one value, when they are more than any value's characters make up for;
 * otherwise 0. What takes `schemaBounds.stepsOfEvent` of these at most is within the validator's bounds.
 */
export function excessOf(schema: unknown): number {
  const most = weightOf(schema as Schema);
  return most > leastCharacters * schemaBounds.stepsOfCharacter ? most : 0;
}

/** Of a value, with what comes after it. */
const leastCharacters = 2;

/** Steps that a schema takes of its own for one object: named things are looked up one by one. */
export function weightOf(schema: Schema | undefined): number {
  if (!isObject(schema)) return 0;
  const { properties, required, dependentRequired, dependentSchemas } = schema;
  const count = (...lists: unknown[]) =>
    lists.reduce<number>((sum, list) => sum + Object.keys(list ?? {}).length, 0);
  const inner = isObject(dependentRequired) ? Object.values(dependentRequired).flat() : [];
  return 1 + Math.ceil(count(properties, required, inner) / 4) + count(dependentRequired, dependentSchemas);
}
