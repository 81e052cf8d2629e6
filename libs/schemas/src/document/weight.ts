import { isObject, type Schema } from './schema.js';

/** Reached for each member of an object, whose names have to be found first. */
const perMember = /\/(?:additionalProperties|unevaluatedProperties|propertyNames|patternProperties\/[^/]*)$/;

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
