import { type SchemaObject, isObject } from '../document/schema.js';
import type { SchemaPart, ValueShape } from './value-shape.js';
import { canonicalText } from '../values/equality.js';

/** The kinds of JSON values, one bit each, so that a number is a set of kinds. A value has one kind. */
export const valueKinds = {
  null: 1,
  boolean: 2,
  object: 4,
  array: 8,
  string: 16,
  integer: 32,
  fraction: 64,
} as const;
const anyKind = 127;
export const numberKinds = valueKinds.integer | valueKinds.fraction;

const known = new WeakMap<ValueShape, number>();

/** Returns the permitted kinds as a sum of `valueKinds`; cached, because most rules need it. */
export function valueKindsOf(shape: ValueShape): number {
  let some = known.get(shape);
  if (some === undefined) {
    some = shape.parts.reduce((all, part) => all & kindsOfPart(part), shape.impossible ? 0 : anyKind);
    known.set(shape, some);
  }
  return some;
}

/** Whether a shape permits values of one of these kinds. */
export function permits(shape: ValueShape, kinds: number): boolean {
  return (valueKindsOf(shape) & kinds) !== 0;
}

function kindsOfPart({ schema }: SchemaPart): number {
  const listed = schema.type === undefined ? anyKind : kindsOfTypes([schema.type].flat() as string[]);
  return valueLists(schema).reduce(
    (all, values) => all & values.reduce<number>((some, value) => some | valueKindOf(value), 0),
    listed,
  );
}

/** Returns the values that a schema's `const` and `enum` permit, one list for each of these keywords that it has. */
export function valueLists(schema: SchemaObject): (readonly unknown[])[] {
  const lists: (readonly unknown[])[] = 'const' in schema ? [[schema.const]] : [];
  return Array.isArray(schema.enum) ? [...lists, schema.enum] : lists;
}

/** Returns the set of kinds that the values of a `type` keyword stand for. */
export function kindsOfTypes(types: readonly string[]): number {
  return types.reduce(
    (all, type) =>
      all | (type === 'number' ? numberKinds : (valueKinds[type as keyof typeof valueKinds] ?? 0)),
    0,
  );
}

/** Returns the values of a `type` keyword that stand for a set of kinds. */
export function typesOfKinds(some: number): string[] {
  const names = Object.entries(valueKinds).flatMap(([name, kind]) => ((some & kind) !== 0 ? [name] : []));
  return [...new Set(names.map((name) => (name === 'fraction' ? 'number' : name)))].filter(
    (name) => name !== 'integer' || (some & valueKinds.fraction) === 0,
  );
}

function valueKindOf(value: unknown): number {
  if (value === null) return valueKinds.null;
  if (Array.isArray(value)) return valueKinds.array;
  if (typeof value === 'number') return Number.isInteger(value) ? valueKinds.integer : valueKinds.fraction;
  return valueKinds[typeof value as 'boolean' | 'object' | 'string'];
}

/** Returns all values that a shape may permit; undefined if they are not listed (const, enum, null, boolean). */
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

/** Returns the values of a shape that are of these kinds; undefined if its values are not listed. */
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
