import type { ValueShape } from './value-shape.js';
import { valueKinds, permits, numberKinds, requiredBy, valuesOfKind } from './types.js';

/** The lower or upper bound of the numbers that a shape (a set of JSON values) permits. */
export interface NumberBound {
  value: number;
  /** True if the bound is exclusive: its value itself is not permitted. */
  open: boolean;
}

/** Returns the lower bound of the numbers that a shape permits, or -Infinity if the numbers have no lower bound. */
export function lowerBoundOf(shape: ValueShape): NumberBound {
  const ends = endsOf(shape, 'minimum', 'exclusiveMinimum');
  const values = valuesOfKind(shape, numberKinds) as number[] | undefined;
  if (values) ends.push({ value: Math.min(...values), open: false });
  const end = ends.reduce((a, b) => (isAbove(b, a) ? b : a), { value: -Infinity, open: false });
  return onlyIntegers(shape) && end.open && Number.isInteger(end.value)
    ? { value: end.value + 1, open: false }
    : end;
}

/** Returns the upper bound of the numbers that a shape permits, or Infinity if the numbers have no upper bound. */
export function upperBoundOf(shape: ValueShape): NumberBound {
  const ends = endsOf(shape, 'maximum', 'exclusiveMaximum');
  const values = valuesOfKind(shape, numberKinds) as number[] | undefined;
  if (values) ends.push({ value: Math.max(...values), open: false });
  const end = ends.reduce((a, b) => (isBelow(b, a) ? b : a), { value: Infinity, open: false });
  return onlyIntegers(shape) && end.open && Number.isInteger(end.value)
    ? { value: end.value - 1, open: false }
    : end;
}

/** Whether the lower bound `a` is stricter than the lower bound `b`. */
export function isAbove(a: NumberBound, b: NumberBound): boolean {
  return a.value > b.value || (a.value === b.value && a.open && !b.open);
}

/** Whether the upper bound `a` is stricter than the upper bound `b`. */
export function isBelow(a: NumberBound, b: NumberBound): boolean {
  return a.value < b.value || (a.value === b.value && a.open && !b.open);
}

function endsOf(shape: ValueShape, closed: string, open: string): NumberBound[] {
  return shape.parts.flatMap(({ schema }) => [
    ...(typeof schema[closed] === 'number' ? [{ value: schema[closed], open: false }] : []),
    ...(typeof schema[open] === 'number' ? [{ value: schema[open], open: true }] : []),
  ]);
}

function onlyIntegers(shape: ValueShape): boolean {
  return !permits(shape, valueKinds.fraction);
}

/**
 * What a keyword such as `minLength` counts: the characters of a string, the items of an array, or the properties of an
 * object. The value is the end of the keyword's name.
 */
export type SizeKeywordSuffix = 'Length' | 'Items' | 'Properties';

const kindCounted = { Length: valueKinds.string, Items: valueKinds.array, Properties: valueKinds.object };

/** Returns the smallest length, or number of items or properties, among the values of a shape. */
export function minimumCountOf(shape: ValueShape, count: SizeKeywordSuffix): number {
  const counts = shape.parts.flatMap(({ schema }) => numbersIn(schema[`min${count}`]));
  const values = valuesOfKind(shape, kindCounted[count])?.map(sizeOf);
  const required = count === 'Properties' ? requiredBy(shape).size : 0;
  return Math.max(0, required, ...counts, ...(values ? [Math.min(...values)] : []));
}

/** Returns the largest length, or number of items or properties, of a shape's values, or Infinity. */
export function maximumCountOf(shape: ValueShape, count: SizeKeywordSuffix): number {
  const counts = shape.parts.flatMap(({ schema }) => numbersIn(schema[`max${count}`]));
  const values = valuesOfKind(shape, kindCounted[count])?.map(sizeOf);
  return Math.min(
    Infinity,
    ...counts,
    ...closedSizes(shape, count),
    ...(values ? [Math.max(...values)] : []),
  );
}

/** Returns the maximum size of a tuple or object that permits no further items or properties. */
function closedSizes(shape: ValueShape, count: SizeKeywordSuffix): number[] {
  return shape.parts.flatMap(({ schema }) => {
    if (count === 'Items' && schema.items === false) return [Object.keys(schema.prefixItems ?? []).length];
    const patterns = Object.keys(schema.patternProperties ?? {});
    if (count !== 'Properties' || schema.additionalProperties !== false || patterns.length > 0) return [];
    return [Object.keys(schema.properties ?? {}).length];
  });
}

function numbersIn(value: unknown): number[] {
  return typeof value === 'number' ? [value] : [];
}

/** Returns the size of a value; strings are counted in code points, as in JSON Schema. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return [...value].length;
  return Object.keys(value as object).length;
}
