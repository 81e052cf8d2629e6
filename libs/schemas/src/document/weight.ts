import { schemaBounds } from '../bounds.js';
import { isObject, type Schema } from './schema.js';

/** Reached for each member of an object, whose names have to be found first. */
const perMember = /\/(?:additionalProperties|unevaluatedProperties|propertyNames|patternProperties\/[^/]*)$/;

/**
 * Steps that a schema takes of its own for one value, wherever it stands, when they are more than any value's characters
 * make up for; otherwise 0. What takes `schemaBounds.stepsOfEvent` of these at most is within the validator's bounds.
 */
export function excessOf(schema: unknown): number {
  const most = weightOf('/additionalProperties', schema as Schema);
  return most > leastCharacters * schemaBounds.stepsOfCharacter ? most : 0;
}

/** Of a value, with what comes after it. */
const leastCharacters = 2;

/** Named things are looked up one by one. */
export function weightOf(pointer: string, schema: Schema | undefined): number {
  if (!isObject(schema)) return 0;
  const { properties, required, dependentRequired, dependentSchemas } = schema;
  const names = [properties, required, dependentRequired, dependentSchemas].flatMap((value) =>
    typeof value === 'object' && value !== null ? Object.keys(value) : [],
  );
  const inner = isObject(dependentRequired) ? Object.values(dependentRequired).flat() : [];
  return (perMember.test(pointer) ? 8 : 1) + Math.ceil((names.length + inner.length) / 4);
}
