import type { Comparing, ComparisonRule } from '../comparison-rule.js';
import type { Difference } from '../rule.js';
import { listedIn, shapeIn, type Part, type Shape } from '../shape.js';

/** `anyOf` */
export const anyOf: ComparisonRule = (comparison, writer, part) => {
  const branches = branchesOf(part, 'anyOf');
  if (branches.length === 0) return [];
  const attempts = branches.map((branch) => comparison.compare(writer, branch));
  if (attempts.some((found) => found.length === 0)) return [];
  return noBranch(comparison, writer, { part, keyword: 'anyOf', attempts });
};

/** `oneOf`: a value that fits one branch must fit no other. */
export const oneOf: ComparisonRule = (comparison, writer, part) => {
  const branches = branchesOf(part, 'oneOf');
  if (branches.length === 0) return [];
  const attempts = branches.map((branch) => comparison.compare(writer, branch));
  const fitting = branches.filter((_, index) => attempts[index]?.length === 0);
  if (fitting.length === 0) return noBranch(comparison, writer, { part, keyword: 'oneOf', attempts });
  const isAlone = (branch: Shape): boolean =>
    branches.every((other) => other === branch || comparison.refutes(writer, other));
  if (fitting.some(isAlone)) return [];
  const detail = `a value of ${comparison.names.writer} may fit two branches of oneOf in ${comparison.names.reader}; use anyOf, or tell the branches apart by a const in a required property`;
  return comparison.differs({ writer, part, keyword: 'oneOf' }, 'one_of_overlaps', detail);
};

function branchesOf(part: Part, keyword: 'anyOf' | 'oneOf'): Shape[] {
  return Array.from({ length: listedIn(part, keyword) }, (_, index) => shapeIn(part, keyword, index));
}

interface Attempts {
  part: Part;
  keyword: string;
  attempts: Difference[][];
}

/** Says why the branch that comes nearest does not fit. */
function noBranch(comparison: Comparing, writer: Shape, { part, keyword, attempts }: Attempts): Difference[] {
  const { names } = comparison;
  const detail = `values that ${names.writer} permits fit none of the alternatives (${keyword}) of ${names.reader}`;
  const nearest = attempts.reduce((best, attempt) => (attempt.length < best.length ? attempt : best));
  return [...comparison.differs({ writer, part, keyword }, 'combined_type_changed', detail), ...nearest];
}

/** `not` */
export const not: ComparisonRule = (comparison, writer, part) => {
  if (!('not' in part.schema) || comparison.refutes(writer, shapeIn(part, 'not'))) return [];
  const detail = `${comparison.names.reader} excludes values (not) that ${comparison.names.writer} may permit`;
  return comparison.differs({ writer, part, keyword: 'not' }, 'not_type_extended', detail);
};

/** `if`, `then`, `else` */
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
  const { names } = comparison;
  const detail = `${names.reader} asks for more than ${names.writer} under a condition (if)`;
  return [...comparison.differs({ writer, part, keyword: 'if' }, 'condition_changed', detail), ...found];
};
