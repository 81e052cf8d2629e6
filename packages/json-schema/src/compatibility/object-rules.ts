import { jsonPointerTo } from '#json';
import { isObject } from '../document/schema.js';
import type { SchemaComparison, ComparisonRule } from './comparison.js';
import { shapeIn, shapeOf, type SchemaPart, type ValueShape, namedIn } from './value-shape.js';
import { valueKinds, permits, requiredBy, requiredWith } from './types.js';
import type { SchemaDifference, IncompatibilityReason } from './incompatibility-reason.js';

/** Rule for `required`. As in Confluent's registry, a property with a default does not count as required. */
export const required: ComparisonRule = (comparison, writer, part) => {
  if (!Array.isArray(part.schema.required) || !permits(writer, valueKinds.object)) return [];
  const own = requiredBy(writer);
  const missing = (part.schema.required as string[]).filter(
    (name) => !own.has(name) && !hasDefault(part, name),
  );
  return missing.flatMap((name) =>
    comparison.differs(
      { writer, part, keyword: 'required' },
      'required_attribute_added',
      `${comparison.reader} requires ${quoted(name)}, ${comparison.writer} does not`,
    ),
  );
};

/** Whether the schema of a property has a `default`, directly or by its references. */
function hasDefault({ source: { document }, pointer }: SchemaPart, name: string): boolean {
  let at: string | undefined = jsonPointerTo(jsonPointerTo(pointer, 'properties'), name);
  for (; at !== undefined; at = document.targets.get(at)) {
    const schema = document.subschemas.get(at);
    if (isObject(schema) && 'default' in schema) return true;
  }
  return false;
}

/** Rule of schema comparison for `propertyNames`. */
export const propertyNames: ComparisonRule = (comparison, writer, part) => {
  if (!('propertyNames' in part.schema) || !permits(writer, valueKinds.object)) return [];
  const reader = shapeIn(part, 'propertyNames');
  const own = writer.parts.filter(({ schema }) => 'propertyNames' in schema);
  if (own.some((one) => comparison.below(shapeIn(one, 'propertyNames'), reader).length === 0)) return [];
  const closed = writer.parts.find((one) => isClosed(one));
  const text = shapeOf(part.source, part.pointer);
  if (closed && namesOfClosed(closed).every((name) => comparison.fits(onlyName(text, name), reader)))
    return [];
  const detail = `${comparison.reader} restricts property names in a way that ${comparison.writer} does not`;
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
  if (!isObject(wanted) || !permits(writer, valueKinds.object)) return [];
  const own = requiredBy(writer);
  return Object.entries(wanted).flatMap(([name, others]) => {
    const known = requiredWith(writer, name);
    const missing = (others as string[]).filter(
      (other) => other !== name && !own.has(other) && !known.has(other),
    );
    if (missing.length === 0 || comparison.members.member(writer, name).impossible) return [];
    const detail = `${comparison.reader} requires ${missing.map(quoted).join(', ')} when ${quoted(name)} is present, ${comparison.writer} does not`;
    return comparison.differs(
      { writer, part, keyword: 'dependentRequired' },
      'dependency_array_changed',
      detail,
    );
  });
};

/** Rule of schema comparison for `dependentSchemas`. */
export const dependentSchemas: ComparisonRule = (comparison, writer, part) => {
  if (!isObject(part.schema.dependentSchemas) || !permits(writer, valueKinds.object)) return [];
  return Object.keys(part.schema.dependentSchemas).flatMap((name) => {
    if (comparison.members.member(writer, name).impossible) return [];
    const found = comparison.compare(
      withMember(comparison, writer, name),
      shapeIn(part, 'dependentSchemas', name),
    );
    if (found.length === 0) return [];
    const detail = `${comparison.reader} requires more than ${comparison.writer} when ${quoted(name)} is present`;
    const at = { writer, part, keyword: 'dependentSchemas' };
    return [...comparison.differs(at, 'dependency_schema_changed', detail), ...found];
  });
};

/** Returns the shape of those values of `writer` that are objects with the member `name`. */
function withMember(comparison: SchemaComparison, writer: ValueShape, name: string): ValueShape {
  comparison.spend(1);
  const objects = writer.narrowed({ type: 'object', required: [name] });
  return writer.parts
    .filter(({ schema: { dependentSchemas: own } }) => isObject(own) && Object.hasOwn(own, name))
    .reduce((all, one) => all.and(shapeIn(one, 'dependentSchemas', name)), objects);
}

function quoted(name: string): string {
  return JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name);
}

/** Rule of schema comparison for `properties`. */
export const properties: ComparisonRule = (comparison, writer, part) => {
  if (!permits(writer, valueKinds.object)) return [];
  return namedIn(part, 'properties').flatMap((name) => {
    comparison.spend(1);
    const reader = shapeIn(part, 'properties', name);
    const member = comparison.members.member(writer, name);
    const found = comparison.below(member, reader);
    const isOpen =
      member.parts.length === 0 && !member.impossible && !comparison.members.describes(writer, name);
    return found.length > 0 && isOpen ? addedToOpen(comparison, writer, { part, name }) : found;
  });
};

/** Returns the difference for a property that the writer does not mention, so that its value may be anything. */
function addedToOpen(
  comparison: SchemaComparison,
  writer: ValueShape,
  { part, name }: { part: SchemaPart; name: string },
): SchemaDifference[] {
  const required = Array.isArray(part.schema.required) && (part.schema.required as string[]).includes(name);
  const detail = `${comparison.reader} restricts ${quoted(name)}, for which ${comparison.writer} permits any value, because it allows additional properties`;
  const at = { writer, part: { ...part, pointer: shapeIn(part, 'properties', name).at } };
  return comparison.differs(at, ruleOfAdded(required, hasDefault(part, name)), detail);
}

function ruleOfAdded(required: boolean, withDefault: boolean): IncompatibilityReason {
  if (!required) return 'optional_property_added_to_open_content_model';
  return withDefault
    ? 'required_property_with_default_added_to_open_content_model'
    : 'required_property_added_to_open_content_model';
}

/** Rule of schema comparison for `patternProperties`. */
export const patternProperties: ComparisonRule = (comparison, writer, part) => {
  if (!permits(writer, valueKinds.object)) return [];
  return namedIn(part, 'patternProperties').flatMap((source) => {
    const reader = shapeIn(part, 'patternProperties', source);
    const named = [...comparison.members.names(writer)].filter((name) =>
      comparison.members.matches(source, name),
    );
    const found = named.flatMap((name) => comparison.below(comparison.members.member(writer, name), reader));
    const fit = writer.parts.some((one) => patternFits(comparison, one, { source, reader }));
    if (fit || isOpenTo(comparison, reader)) return found;
    const detail = `${comparison.reader} restricts properties that match ${quoted(source)} differently from ${comparison.writer}`;
    const at = { writer, part: { ...part, pointer: reader.at } };
    return [...found, ...comparison.differs(at, 'pattern_properties_changed', detail)];
  });
};

/** Whether the writer's unnamed properties that match a pattern fit the reader's schema for the pattern. */
function patternFits(
  comparison: SchemaComparison,
  part: SchemaPart,
  { source, reader }: { source: string; reader: ValueShape },
): boolean {
  if (namedIn(part, 'patternProperties').includes(source))
    return comparison.below(shapeIn(part, 'patternProperties', source), reader).length === 0;
  return allFit(comparison, comparison.members.others(part, new Set()), reader);
}

function allFit(comparison: SchemaComparison, shapes: ValueShape[] | undefined, reader: ValueShape): boolean {
  return shapes?.every((shape) => comparison.below(shape, reader).length === 0) ?? false;
}

/** Whether the reader's schema provably permits every value. */
function isOpenTo(comparison: SchemaComparison, reader: ValueShape): boolean {
  return comparison.below(reader.anything(), reader).length === 0;
}

/** Rule of schema comparison for `additionalProperties`. */
export const additionalProperties: ComparisonRule = (comparison, writer, part) => {
  if (!('additionalProperties' in part.schema) || !permits(writer, valueKinds.object)) return [];
  const named = new Set(namedIn(part, 'properties'));
  return rest(comparison, writer, {
    part,
    keyword: 'additionalProperties',
    isCovered: (name) => named.has(name) || comparison.members.patternsFor(part, name).length > 0,
    patterns: new Set(namedIn(part, 'patternProperties')),
    rules: { closed: 'additional_properties_removed', narrowed: 'additional_properties_narrowed' },
  });
};

/** Rule for `unevaluatedProperties`: it applies to members that no other schema of the value evaluates. */
export const unevaluatedProperties: ComparisonRule = (comparison, writer, part) => {
  if (
    !('unevaluatedProperties' in part.schema) ||
    !permits(writer, valueKinds.object) ||
    comparison.members.looksAtAll(part)
  )
    return [];
  return rest(comparison, writer, {
    part,
    keyword: 'unevaluatedProperties',
    isCovered: (name) => comparison.members.looksAt(part, name),
    patterns: comparison.members.patternsOf(part),
    rules: { closed: 'unevaluated_properties_removed', narrowed: 'unevaluated_properties_narrowed' },
  });
};

interface RemainingMembers {
  part: SchemaPart;
  keyword: string;
  /** Whether other keywords of the reader's schema, such as `properties`, apply to a property. */
  isCovered: (name: string) => boolean;
  /** Patterns to whose properties other keywords of the reader apply. */
  patterns: ReadonlySet<string>;
  rules: { closed: IncompatibilityReason; narrowed: IncompatibilityReason };
}

function rest(
  comparison: SchemaComparison,
  writer: ValueShape,
  options: RemainingMembers,
): SchemaDifference[] {
  const { part, keyword, isCovered, patterns } = options;
  const reader = shapeIn(part, keyword);
  if (isOpenTo(comparison, reader)) return [];
  const named = [...comparison.members.names(writer)].filter((name) => !isCovered(name));
  const found = named.flatMap((name) => removed(comparison, writer, { ...options, name, reader }));
  const fits = (one: SchemaPart): boolean =>
    allFit(comparison, comparison.members.others(one, patterns), reader);
  if (writer.parts.some(fits)) return found;
  const closed = reader.impossible;
  // A schema that permits everything does not count as a restriction, however it is written.
  const own = writer.parts
    .flatMap((one) => comparison.members.others(one, patterns) ?? [])
    .filter((one) => !isOpenTo(comparison, one));
  if (own.length > 0 && !closed) return [...found, ...own.flatMap((one) => comparison.below(one, reader))];
  const detail = closed
    ? `${comparison.reader} permits no other properties, ${comparison.writer} does`
    : `${comparison.reader} does not permit every other property that ${comparison.writer} permits`;
  const rule = closed ? options.rules.closed : options.rules.narrowed;
  return [...found, ...comparison.differs({ writer, part, keyword }, rule, detail)];
}

/** Returns the difference for a property that the writer names and the reader does not. */
function removed(
  comparison: SchemaComparison,
  writer: ValueShape,
  { part, keyword, name, reader }: RemainingMembers & { name: string; reader: ValueShape },
): SchemaDifference[] {
  comparison.spend(1);
  const found = comparison.below(comparison.members.member(writer, name), reader);
  if (found.length === 0) return [];
  const closed = reader.impossible;
  const detail = closed
    ? `${comparison.reader} does not permit ${quoted(name)}, ${comparison.writer} does`
    : `${comparison.reader} permits fewer values for ${quoted(name)} than ${comparison.writer}`;
  const rule = closed
    ? 'property_removed_from_closed_content_model'
    : 'property_removed_not_covered_by_partially_open_content_model';
  const difference = comparison.differs({ writer, part, keyword }, rule, detail);
  return closed ? difference : [...difference, ...found];
}
