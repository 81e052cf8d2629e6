import { canonicalText } from '../values/equality.js';
import { isObject } from '../document/schema.js';
import type { ValueShape } from './value-shape.js';
import { valueKindOf, valueKinds, valueKindsOf, valueLists } from './types.js';

/**
 * Returns a list of all values that a shape may permit: the values of const and enum, or null, true and false. Returns
 * undefined if the shape has no such list.
 */
export function valuesOf(shape: ValueShape): unknown[] | undefined {
  const some = valueKindsOf(shape);
  const lists = shape.parts.flatMap(({ schema }) => valueLists(schema));
  const [first, ...others] = lists;
  if (!first) return (some & ~(valueKinds.null | valueKinds.boolean)) === 0 ? simpleValues(some) : undefined;
  const known = others.map((list) => new Set(list.map(canonicalText)));
  return first.filter(
    (value) => (valueKindOf(value) & some) !== 0 && known.every((list) => list.has(canonicalText(value))),
  );
}

function simpleValues(some: number): unknown[] {
  return [null, true, false].filter((value) => (valueKindOf(value) & some) !== 0);
}

/**
 * Returns those values of a shape that are of the given kinds; undefined if the values of the shape cannot be listed.
 */
export function valuesOfKind(shape: ValueShape, some: number): unknown[] | undefined {
  return valuesOf(shape)?.filter((value) => (valueKindOf(value) & some) !== 0);
}

/** Returns the names of the members that every object of a shape must have. */
export function requiredBy(shape: ValueShape): Set<string> {
  return new Set(
    shape.parts.flatMap(({ schema }) =>
      Array.isArray(schema.required) ? (schema.required as string[]) : [],
    ),
  );
}

/** Returns the names of the members that `dependentRequired` requires of objects with the member `name`. */
export function requiredWith(shape: ValueShape, name: string): Set<string> {
  return new Set(
    shape.parts.flatMap(({ schema: { dependentRequired } }) =>
      isObject(dependentRequired) && Object.hasOwn(dependentRequired, name)
        ? (dependentRequired[name] as string[])
        : [],
    ),
  );
}
