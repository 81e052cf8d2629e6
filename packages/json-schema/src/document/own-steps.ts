import { schemaBounds } from '../bounds.js';
import { isObject, type JsonSchema } from './schema.js';

/**
 * Returns the validation steps that a schema itself takes for one value, or 0 if the steps allowed for the
 * value's own characters cover them. If these values sum up to at most `schemaBounds.stepsOfText`,
 * validation stays within its limits.
 */
export function excessStepsOf(schema: unknown): number {
  const most = ownStepsOf(schema as JsonSchema);
  return most > leastCharacters * schemaBounds.stepsOfCharacter ? most : 0;
}

/** Number of characters of the shortest JSON value with the separator after it. */
const leastCharacters = 2;

/**
 * Returns the number of validation steps that a schema takes for one object, without its subschemas: each property that
 * the schema names is looked up separately.
 */
export function ownStepsOf(schema: JsonSchema | undefined): number {
  if (!isObject(schema)) return 0;
  const { properties, required, dependentRequired, dependentSchemas } = schema;
  const count = (...lists: unknown[]) =>
    lists.reduce<number>((sum, list) => sum + Object.keys(list ?? {}).length, 0);
  const inner = isObject(dependentRequired) ? Object.values(dependentRequired).flat() : [];
  return 1 + Math.ceil(count(properties, required, inner) / 4) + count(dependentRequired, dependentSchemas);
}
