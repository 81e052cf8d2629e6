import type { Shape } from './shape.js';
import { kinds, kindsOf, numberKinds } from './types.js';
import { requiredBy, valuesOfKind } from './values.js';

/** An end of the numbers of a shape. */
export interface End {
  value: number;
  /** Whether the value itself is not among them. */
  open: boolean;
}

/** The lowest number of a shape; -Infinity without one. */
export function lowest(shape: Shape): End {
  const ends = endsOf(shape, 'minimum', 'exclusiveMinimum');
  const values = valuesOfKind(shape, numberKinds) as number[] | undefined;
  if (values) ends.push({ value: Math.min(...values), open: false });
  const end = ends.reduce((a, b) => (isAbove(b, a) ? b : a), { value: -Infinity, open: false });
  return onlyIntegers(shape) && end.open && Number.isInteger(end.value)
    ? { value: end.value + 1, open: false }
    : end;
}

/** The highest number of a shape; Infinity without one. */
export function highest(shape: Shape): End {
  const ends = endsOf(shape, 'maximum', 'exclusiveMaximum');
  const values = valuesOfKind(shape, numberKinds) as number[] | undefined;
  if (values) ends.push({ value: Math.max(...values), open: false });
  const end = ends.reduce((a, b) => (isBelow(b, a) ? b : a), { value: Infinity, open: false });
  return onlyIntegers(shape) && end.open && Number.isInteger(end.value)
    ? { value: end.value - 1, open: false }
    : end;
}

/** Whether the numbers from `a` upward are fewer than those from `b` upward. */
export function isAbove(a: End, b: End): boolean {
  return a.value > b.value || (a.value === b.value && a.open && !b.open);
}

/** Whether the numbers up to `a` are fewer than those up to `b`. */
export function isBelow(a: End, b: End): boolean {
  return a.value < b.value || (a.value === b.value && a.open && !b.open);
}

function endsOf(shape: Shape, closed: string, open: string): End[] {
  return shape.parts.flatMap(({ schema }) => [
    ...(typeof schema[closed] === 'number' ? [{ value: schema[closed], open: false }] : []),
    ...(typeof schema[open] === 'number' ? [{ value: schema[open], open: true }] : []),
  ]);
}

function onlyIntegers(shape: Shape): boolean {
  return (kindsOf(shape) & kinds.fraction) === 0;
}

/** How small or large something countable is in all values of a shape. */
export type Count = 'Length' | 'Items' | 'Properties';

const kindCounted = { Length: kinds.string, Items: kinds.array, Properties: kinds.object };

/** The least count of all values of a shape. */
export function least(shape: Shape, count: Count): number {
  const counts = shape.parts.flatMap(({ schema }) => numbersIn(schema[`min${count}`]));
  const values = valuesOfKind(shape, kindCounted[count])?.map(sizeOf);
  const required = count === 'Properties' ? requiredBy(shape).size : 0;
  return Math.max(0, required, ...counts, ...(values ? [Math.min(...values)] : []));
}

/** The largest count of all values of a shape; Infinity without a bound. */
export function largest(shape: Shape, count: Count): number {
  const counts = shape.parts.flatMap(({ schema }) => numbersIn(schema[`max${count}`]));
  const values = valuesOfKind(shape, kindCounted[count])?.map(sizeOf);
  return Math.min(
    Infinity,
    ...counts,
    ...closedSizes(shape, count),
    ...(values ? [Math.max(...values)] : []),
  );
}

/** A list or object that has no place for more members has a largest count. */
function closedSizes(shape: Shape, count: Count): number[] {
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

/** Strings are counted in code points, as JSON Schema does. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return [...value].length;
  return Object.keys(value as object).length;
}
