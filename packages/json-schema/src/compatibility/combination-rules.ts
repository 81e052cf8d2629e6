import type { SchemaComparison, ComparisonRule } from './comparison.js';
import type { SchemaDifference } from './incompatibility-reason.js';
import { listedIn, shapeIn, type SchemaPart, type ValueShape } from './value-shape.js';

/** Rule of schema comparison for `anyOf`: all values of the writer must fit one of the reader's branches. */
export const anyOf: ComparisonRule = (comparison, writer, part) => {
  if (listedIn(part, 'anyOf') === 0) return [];
  const attempts = attemptsOf(comparison, writer, { part, keyword: 'anyOf' });
  if (attempts.some(({ found }) => found.length === 0)) return [];
  return noBranch(comparison, writer, { part, keyword: 'anyOf', attempts });
};

/** Rule of schema comparison for `oneOf`: each value of the writer must fit exactly one of the reader's branches. */
export const oneOf: ComparisonRule = (comparison, writer, part) => {
  if (listedIn(part, 'oneOf') === 0) return [];
  const attempts = attemptsOf(comparison, writer, { part, keyword: 'oneOf' });
  const fitting = attempts.filter(({ found }) => found.length === 0);
  if (fitting.length === 0) return noBranch(comparison, writer, { part, keyword: 'oneOf', attempts });
  const isAlone = (one: BranchComparison): boolean =>
    attempts.every((other) => other === one || comparison.refutes(writer, other.branch));
  if (fitting.some(isAlone)) return [];
  const detail = `a value of ${comparison.writer} may fit two branches of oneOf in ${comparison.reader}; use anyOf, or tell the branches apart by a const in a required property`;
  return comparison.differs({ writer, part, keyword: 'oneOf' }, 'one_of_overlaps', detail);
};

interface BranchKeyword {
  part: SchemaPart;
  keyword: 'anyOf' | 'oneOf';
}

interface BranchComparison {
  branch: ValueShape;
  /** The differences between the writer's values and the branch; empty if all values fit. */
  found: SchemaDifference[];
}

/** Compares the writer's schema with each branch of the reader that some of its values may fit. */
function attemptsOf(
  comparison: SchemaComparison,
  writer: ValueShape,
  { part, keyword }: BranchKeyword,
): BranchComparison[] {
  return Array.from({ length: listedIn(part, keyword) }, (_, index) => shapeIn(part, keyword, index))
    .filter((branch) => !comparison.areApart(writer, branch))
    .map((branch) => ({ branch, found: comparison.compare(writer, branch) }));
}

/** Returns the difference that no branch fits, and the differences from the nearest branch. */
function noBranch(
  comparison: SchemaComparison,
  writer: ValueShape,
  { part, keyword, attempts }: BranchKeyword & { attempts: BranchComparison[] },
): SchemaDifference[] {
  const detail = `values that ${comparison.writer} permits fit none of the alternatives (${keyword}) of ${comparison.reader}`;
  const nearest = attempts.map(({ found }) => found).sort((a, b) => a.length - b.length)[0] ?? [];
  return [...comparison.differs({ writer, part, keyword }, 'combined_type_changed', detail), ...nearest];
}

/** Rule of schema comparison for `not`: no value of the writer may match the schema that the reader excludes. */
export const not: ComparisonRule = (comparison, writer, part) => {
  if (!('not' in part.schema) || comparison.refutes(writer, shapeIn(part, 'not'))) return [];
  const detail = `${comparison.reader} excludes values (not) that ${comparison.writer} may permit`;
  return comparison.differs({ writer, part, keyword: 'not' }, 'not_type_extended', detail);
};

/** Rule of schema comparison for `if`, `then` and `else`. */
export const conditions: ComparisonRule = (comparison, writer, part) => {
  if (!('if' in part.schema)) return [];
  const test = shapeIn(part, 'if');
  const holds = 'then' in part.schema && !comparison.refutes(writer, test);
  const fails = 'else' in part.schema && !comparison.fits(writer, test);
  const found = [
    ...(holds ? comparison.compare(writer.and(test), shapeIn(part, 'then')) : []),
    ...(fails ? comparison.compare(writer.without([test]), shapeIn(part, 'else')) : []),
  ];
  if (found.length === 0) return [];
  const detail = `${comparison.reader} requires more than ${comparison.writer} under a condition (if)`;
  return [...comparison.differs({ writer, part, keyword: 'if' }, 'condition_changed', detail), ...found];
};
