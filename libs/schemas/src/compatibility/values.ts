import { canonical } from '../values/equality.js';
import { isObject } from '../document/schema.js';
import type { Shape } from './shape.js';
import { kindOf, kinds, kindsOf, valueLists } from './types.js';

/** The values that have a shape, when there are few: those of const and enum, null, true and false. */
export function valuesOf(shape: Shape): unknown[] | undefined {
  const some = kindsOf(shape);
  const lists = shape.parts.flatMap(({ schema }) => valueLists(schema));
  const [first, ...others] = lists;
  if (!first) return (some & ~(kinds.null | kinds.boolean)) === 0 ? simpleValues(some) : undefined;
  const known = others.map((list) => new Set(list.map(canonical)));
  return first.filter(
    (value) => (kindOf(value) & some) !== 0 && known.every((list) => list.has(canonical(value))),
  );
}

function simpleValues(some: number): unknown[] {
  return [null, true, false].filter((value) => (kindOf(value) & some) !== 0);
}

/** The values of a kind; undefined when they cannot be listed. */
export function valuesOfKind(shape: Shape, some: number): unknown[] | undefined {
  return valuesOf(shape)?.filter((value) => (kindOf(value) & some) !== 0);
}

/** Names that every object of a shape has. */
export function requiredBy(shape: Shape): Set<string> {
  return new Set(
    shape.parts.flatMap(({ schema }) =>
      Array.isArray(schema.required) ? (schema.required as string[]) : [],
    ),
  );
}

/** The lists of names of `dependentRequired` for a name. */
export function requiredWith(shape: Shape, name: string): Set<string> {
  return new Set(
    shape.parts.flatMap(({ schema: { dependentRequired } }) =>
      isObject(dependentRequired) && Object.hasOwn(dependentRequired, name)
        ? (dependentRequired[name] as string[])
        : [],
    ),
  );
}
