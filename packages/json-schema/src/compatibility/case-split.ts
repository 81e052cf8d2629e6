import { listedIn, shapeIn, type SchemaPart, type ValueShape } from './value-shape.js';
import { valueKindsOf, typesOfKinds, valuesOf } from './types.js';

/** Maximum number of values that a schema lists (enum) for which they are compared one by one. */
const mostValues = 50;

/** A split of a shape's values into cases: each value matches at least one of the cases. */
interface ShapeCases {
  cases: ValueShape[];
  /** True if a keyword states the cases (anyOf, oneOf, if), false if types or listed values imply them. */
  said: boolean;
}

/** Splits a shape's values into cases by the first keyword that allows it; undefined if none does. */
export function splitIntoCases(shape: ValueShape): ShapeCases | undefined {
  for (const part of shape.parts) {
    const found = branches(shape, part, 'oneOf') ?? branches(shape, part, 'anyOf') ?? condition(shape, part);
    if (found) return { cases: found, said: true };
  }
  const found = eachKind(shape) ?? eachValue(shape);
  return found && { cases: found, said: false };
}

function branches(shape: ValueShape, part: SchemaPart, keyword: 'anyOf' | 'oneOf'): ValueShape[] | undefined {
  const mark = `${part.id} ${keyword}`;
  if (listedIn(part, keyword) === 0 || shape.chosen.includes(mark)) return undefined;
  const all = Array.from({ length: listedIn(part, keyword) }, (_, index) => shapeIn(part, keyword, index));
  const rest = shape.choosing(mark);
  return all.map((branch) => {
    const others = keyword === 'oneOf' ? all.filter((other) => other !== branch) : [];
    return rest.and(branch).without(others).standingAt(branch.at);
  });
}

function condition(shape: ValueShape, part: SchemaPart): ValueShape[] | undefined {
  const mark = `${part.id} if`;
  if (!('if' in part.schema) || shape.chosen.includes(mark)) return undefined;
  const rest = shape.choosing(mark);
  const test = shapeIn(part, 'if');
  const holds = rest.and(test);
  const fails = rest.without([test]);
  return [
    'then' in part.schema ? holds.and(shapeIn(part, 'then')) : holds,
    'else' in part.schema ? fails.and(shapeIn(part, 'else')) : fails,
  ];
}

function eachKind(shape: ValueShape): ValueShape[] | undefined {
  // Each type name stands for at least one kind of value.
  const names = typesOfKinds(valueKindsOf(shape));
  if (names.length < 2) return undefined;
  return names.map((name) => shape.narrowed({ type: name }));
}

function eachValue(shape: ValueShape): ValueShape[] | undefined {
  const values = valuesOf(shape);
  if (!values || values.length < 2 || values.length > mostValues) return undefined;
  return values.map((value) => shape.narrowed({ const: value }));
}
