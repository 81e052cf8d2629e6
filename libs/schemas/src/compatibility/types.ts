import type { SchemaObject } from '../document/schema.js';
import type { Part, Shape } from './shape.js';

/** Mutually exclusive kinds of JSON values, as bits of a set. */
export const kinds = {
  null: 1,
  boolean: 2,
  object: 4,
  array: 8,
  string: 16,
  integer: 32,
  fraction: 64,
} as const;
export const anyKind = 127;
export const numberKinds = kinds.integer | kinds.fraction;

const known = new WeakMap<Shape, number>();

/** Returns the kinds of values that a shape permits. The result is cached, because most rules need it. */
export function kindsOf(shape: Shape): number {
  let some = known.get(shape);
  if (some === undefined) {
    some = shape.parts.reduce((all, part) => all & kindsOfPart(part), shape.impossible ? 0 : anyKind);
    known.set(shape, some);
  }
  return some;
}

function kindsOfPart({ schema }: Part): number {
  const listed = schema.type === undefined ? anyKind : kindsNamed([schema.type].flat() as string[]);
  return valueLists(schema).reduce(
    (all, values) => all & values.reduce<number>((some, value) => some | kindOf(value), 0),
    listed,
  );
}

/** Returns the values that `const` and `enum` of a schema permit, one list for each keyword. */
export function valueLists(schema: SchemaObject): (readonly unknown[])[] {
  const lists: (readonly unknown[])[] = 'const' in schema ? [[schema.const]] : [];
  return Array.isArray(schema.enum) ? [...lists, schema.enum] : lists;
}

/** Returns the set of kinds that the values of a `type` keyword stand for. */
export function kindsNamed(types: readonly string[]): number {
  return types.reduce(
    (all, type) => all | (type === 'number' ? numberKinds : (kinds[type as keyof typeof kinds] ?? 0)),
    0,
  );
}

/** Returns the values of a `type` keyword that stand for a set of kinds. */
export function namesOf(some: number): string[] {
  const names = Object.entries(kinds).flatMap(([name, kind]) => ((some & kind) !== 0 ? [name] : []));
  return [...new Set(names.map((name) => (name === 'fraction' ? 'number' : name)))].filter(
    (name) => name !== 'integer' || (some & kinds.fraction) === 0,
  );
}

export function kindOf(value: unknown): number {
  if (value === null) return kinds.null;
  if (Array.isArray(value)) return kinds.array;
  if (typeof value === 'number') return Number.isInteger(value) ? kinds.integer : kinds.fraction;
  return kinds[typeof value as 'boolean' | 'object' | 'string'];
}
