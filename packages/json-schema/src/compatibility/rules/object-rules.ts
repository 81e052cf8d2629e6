import { jsonPointerTo } from '#json';
import { isObject } from '../../document/schema.js';
import type { ComparisonContext, ComparisonRule } from '../comparison-rule.js';
import { shapeIn, shapeOf, type SchemaPart, type ValueShape } from '../value-shape.js';
import { valueKinds, valueKindsOf } from '../types.js';
import { requiredBy, requiredWith } from '../values.js';

/**
 * Rule of schema comparison for `required`. A property whose schema has a default does not count as required, as in
 * Confluent's registry.
 */
export const required: ComparisonRule = (comparison, writer, part) => {
  if (!Array.isArray(part.schema.required) || !hasObjects(writer)) return [];
  const own = requiredBy(writer);
  const missing = (part.schema.required as string[]).filter(
    (name) => !own.has(name) && !hasDefault(part, name),
  );
  const { names } = comparison;
  return missing.flatMap((name) =>
    comparison.differs(
      { writer, part, keyword: 'required' },
      'required_attribute_added',
      `${names.reader} requires ${quoted(name)}, ${names.writer} does not`,
    ),
  );
};

/** Whether the schema of a property has a `default`, directly or by its references. */
export function hasDefault({ source: { document }, pointer }: SchemaPart, name: string): boolean {
  let at: string | undefined = jsonPointerTo(jsonPointerTo(pointer, 'properties'), name);
  for (; at !== undefined; at = document.targets.get(at)) {
    const schema = document.subschemas.get(at);
    if (isObject(schema) && 'default' in schema) return true;
  }
  return false;
}

/** Rule of schema comparison for `propertyNames`. */
export const propertyNames: ComparisonRule = (comparison, writer, part) => {
  if (!('propertyNames' in part.schema) || !hasObjects(writer)) return [];
  const reader = shapeIn(part, 'propertyNames');
  const own = writer.parts.filter(({ schema }) => 'propertyNames' in schema);
  if (own.some((one) => comparison.below(shapeIn(one, 'propertyNames'), reader).length === 0)) return [];
  const closed = writer.parts.find((one) => isClosed(one));
  const text = shapeOf(part.source, part.pointer);
  if (closed && namesOfClosed(closed).every((name) => comparison.fits(onlyName(text, name), reader)))
    return [];
  const { names } = comparison;
  const detail = `${names.reader} restricts property names in a way that ${names.writer} does not`;
  return comparison.differs({ writer, part, keyword: 'propertyNames' }, 'property_names_changed', detail);
};

function isClosed({ schema }: SchemaPart): boolean {
  return schema.additionalProperties === false && Object.keys(schema.patternProperties ?? {}).length === 0;
}

function namesOfClosed({ schema }: SchemaPart): string[] {
  return Object.keys(schema.properties ?? {});
}

/** Returns the shape of a single string, at the pointer of another shape. */
function onlyName(place: ValueShape, name: string): ValueShape {
  return place.anything().narrowed({ const: name });
}

/** Rule of schema comparison for `dependentRequired`. */
export const dependentRequired: ComparisonRule = (comparison, writer, part) => {
  const wanted = part.schema.dependentRequired;
  if (!isObject(wanted) || !hasObjects(writer)) return [];
  const own = requiredBy(writer);
  const { names } = comparison;
  return Object.entries(wanted).flatMap(([name, others]) => {
    const known = requiredWith(writer, name);
    const missing = (others as string[]).filter(
      (other) => other !== name && !own.has(other) && !known.has(other),
    );
    if (missing.length === 0 || comparison.members.member(writer, name).impossible) return [];
    const detail = `${names.reader} requires ${missing.map(quoted).join(', ')} when ${quoted(name)} is present, ${names.writer} does not`;
    return comparison.differs(
      { writer, part, keyword: 'dependentRequired' },
      'dependency_array_changed',
      detail,
    );
  });
};

/** Rule of schema comparison for `dependentSchemas`. */
export const dependentSchemas: ComparisonRule = (comparison, writer, part) => {
  if (!isObject(part.schema.dependentSchemas) || !hasObjects(writer)) return [];
  return Object.keys(part.schema.dependentSchemas).flatMap((name) => {
    if (comparison.members.member(writer, name).impossible) return [];
    const found = comparison.compare(
      withMember(comparison, writer, name),
      shapeIn(part, 'dependentSchemas', name),
    );
    if (found.length === 0) return [];
    const { names } = comparison;
    const detail = `${names.reader} requires more than ${names.writer} when ${quoted(name)} is present`;
    const at = { writer, part, keyword: 'dependentSchemas' };
    return [...comparison.differs(at, 'dependency_schema_changed', detail), ...found];
  });
};

/** Returns the shape of those values of `writer` that are objects with the member `name`. */
function withMember(comparison: ComparisonContext, writer: ValueShape, name: string): ValueShape {
  comparison.spend(1);
  const objects = writer.narrowed({ type: 'object', required: [name] });
  return writer.parts
    .filter(({ schema: { dependentSchemas: own } }) => isObject(own) && Object.hasOwn(own, name))
    .reduce((all, one) => all.and(shapeIn(one, 'dependentSchemas', name)), objects);
}

export function hasObjects(writer: ValueShape): boolean {
  return (valueKindsOf(writer) & valueKinds.object) !== 0;
}

export function quoted(name: string): string {
  return JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name);
}
