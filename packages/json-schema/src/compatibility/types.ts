import type { SchemaObject } from '../document/schema.js';
import type { SchemaPart, ValueShape } from './value-shape.js';

/**
 * The kinds of JSON values, one bit each, so that one number represents a set of kinds. Each value is of exactly one
 * kind.
 */
export const valueKinds = {
  null: 1,
  boolean: 2,
  object: 4,
  array: 8,
  string: 16,
  integer: 32,
  fraction: 64,
} as const;
export const anyKind = 127;
export const numberKinds = valueKinds.integer | valueKinds.fraction;

const known = new WeakMap<ValueShape, number>();

/**
 * Returns the kinds of JSON values that a shape permits, as a sum of bits of `valueKinds`. The result is cached,
 * because most comparison rules need it.
 */
export function valueKindsOf(shape: ValueShape): number {
  let some = known.get(shape);
  if (some === undefined) {
    some = shape.parts.reduce((all, part) => all & kindsOfPart(part), shape.impossible ? 0 : anyKind);
    known.set(shape, some);
  }
  return some;
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

export function valueKindOf(value: unknown): number {
  if (value === null) return valueKinds.null;
  if (Array.isArray(value)) return valueKinds.array;
  if (typeof value === 'number') return Number.isInteger(value) ? valueKinds.integer : valueKinds.fraction;
  return valueKinds[typeof value as 'boolean' | 'object' | 'string'];
}
