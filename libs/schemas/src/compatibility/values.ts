import { canonical } from '../values/equality.js';
import { isObject } from '../document/schema.js';
import type { Shape } from './shape.js';
import { kindOf, kinds, kindsOf, valueLists } from './types.js';

/**
 * Returns the values of a shape if they can be listed: those of const and enum, null, true and false.
 * Otherwise undefined.
 */
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

/** Returns the values of a kind; undefined if they cannot be listed. */
export function valuesOfKind(shape: Shape, some: number): unknown[] | undefined {
  return valuesOf(shape)?.filter((value) => (kindOf(value) & some) !== 0);
}

/** Returns the names of the members that every object of a shape must have. */
export function requiredBy(shape: Shape): Set<string> {
  return new Set(
    shape.parts.flatMap(({ schema }) =>
      Array.isArray(schema.required) ? (schema.required as string[]) : [],
    ),
  );
}

/** Returns the names that `dependentRequired` requires together with a name. */
export function requiredWith(shape: Shape, name: string): Set<string> {
  return new Set(
    shape.parts.flatMap(({ schema: { dependentRequired } }) =>
      isObject(dependentRequired) && Object.hasOwn(dependentRequired, name)
        ? (dependentRequired[name] as string[])
        : [],
    ),
  );
}
