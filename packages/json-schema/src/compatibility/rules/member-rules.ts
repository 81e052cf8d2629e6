import type { ComparisonContext, ComparisonRule } from '../comparison-rule.js';
import type { SchemaDifference, IncompatibilityReason } from '../incompatibility-reason.js';
import { namedIn, shapeIn, type SchemaPart, type ValueShape } from '../value-shape.js';
import { hasDefault, hasObjects, quoted } from './object-rules.js';

/** Rule of schema comparison for `properties`. */
export const properties: ComparisonRule = (comparison, writer, part) => {
  if (!hasObjects(writer)) return [];
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

/**
 * Returns the difference for a property that the writer does not mention, so that its value may be anything.
 */
function addedToOpen(
  comparison: ComparisonContext,
  writer: ValueShape,
  { part, name }: { part: SchemaPart; name: string },
): SchemaDifference[] {
  const { names } = comparison;
  const required = Array.isArray(part.schema.required) && (part.schema.required as string[]).includes(name);
  const detail = `${names.reader} restricts ${quoted(name)}, for which ${names.writer} permits any value, because it allows additional properties`;
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
  if (!hasObjects(writer)) return [];
  return namedIn(part, 'patternProperties').flatMap((source) => {
    const reader = shapeIn(part, 'patternProperties', source);
    const named = [...comparison.members.names(writer)].filter((name) =>
      comparison.members.matches(source, name),
    );
    const found = named.flatMap((name) => comparison.below(comparison.members.member(writer, name), reader));
    const fit = writer.parts.some((one) => patternFits(comparison, one, { source, reader }));
    if (fit || isOpenTo(comparison, reader)) return found;
    const { names } = comparison;
    const detail = `${names.reader} restricts properties that match ${quoted(source)} differently from ${names.writer}`;
    const at = { writer, part: { ...part, pointer: reader.at } };
    return [...found, ...comparison.differs(at, 'pattern_properties_changed', detail)];
  });
};

/**
 * Whether all properties of the writer that match a pattern, and that its schema does not name, fit the reader's schema
 * for this pattern.
 */
function patternFits(
  comparison: ComparisonContext,
  part: SchemaPart,
  { source, reader }: { source: string; reader: ValueShape },
): boolean {
  if (namedIn(part, 'patternProperties').includes(source))
    return comparison.below(shapeIn(part, 'patternProperties', source), reader).length === 0;
  return allFit(comparison, comparison.members.others(part, new Set()), reader);
}

function allFit(
  comparison: ComparisonContext,
  shapes: ValueShape[] | undefined,
  reader: ValueShape,
): boolean {
  return shapes?.every((shape) => comparison.below(shape, reader).length === 0) ?? false;
}

/** Whether the reader's schema provably permits every value. */
function isOpenTo(comparison: ComparisonContext, reader: ValueShape): boolean {
  return comparison.below(reader.anything(), reader).length === 0;
}

/** Rule of schema comparison for `additionalProperties`. */
export const additionalProperties: ComparisonRule = (comparison, writer, part) => {
  if (!('additionalProperties' in part.schema) || !hasObjects(writer)) return [];
  const named = new Set(namedIn(part, 'properties'));
  return rest(comparison, writer, {
    part,
    keyword: 'additionalProperties',
    isCovered: (name) => named.has(name) || comparison.members.patternsFor(part, name).length > 0,
    patterns: new Set(namedIn(part, 'patternProperties')),
    rules: { closed: 'additional_properties_removed', narrowed: 'additional_properties_narrowed' },
  });
};

/**
 * Rule of schema comparison for `unevaluatedProperties`, which applies to members that no other schema for the same
 * value evaluates.
 */
export const unevaluatedProperties: ComparisonRule = (comparison, writer, part) => {
  if (!('unevaluatedProperties' in part.schema) || !hasObjects(writer) || comparison.members.looksAtAll(part))
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
  comparison: ComparisonContext,
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
  const { names } = comparison;
  const closed = reader.impossible;
  // A schema that permits everything does not count as a restriction, however it is written.
  const own = writer.parts
    .flatMap((one) => comparison.members.others(one, patterns) ?? [])
    .filter((one) => !isOpenTo(comparison, one));
  if (own.length > 0 && !closed) return [...found, ...own.flatMap((one) => comparison.below(one, reader))];
  const detail = closed
    ? `${names.reader} permits no other properties, ${names.writer} does`
    : `${names.reader} does not permit every other property that ${names.writer} permits`;
  const rule = closed ? options.rules.closed : options.rules.narrowed;
  return [...found, ...comparison.differs({ writer, part, keyword }, rule, detail)];
}

/** Returns the difference for a property that the writer names and the reader does not. */
function removed(
  comparison: ComparisonContext,
  writer: ValueShape,
  { part, keyword, name, reader }: RemainingMembers & { name: string; reader: ValueShape },
): SchemaDifference[] {
  comparison.spend(1);
  const found = comparison.below(comparison.members.member(writer, name), reader);
  if (found.length === 0) return [];
  const { names } = comparison;
  const closed = reader.impossible;
  const detail = closed
    ? `${names.reader} does not permit ${quoted(name)}, ${names.writer} does`
    : `${names.reader} permits fewer values for ${quoted(name)} than ${names.writer}`;
  const rule = closed
    ? 'property_removed_from_closed_content_model'
    : 'property_removed_not_covered_by_partially_open_content_model';
  const difference = comparison.differs({ writer, part, keyword }, rule, detail);
  return closed ? difference : [...difference, ...found];
}
