import { DecimalText } from './decimal.js';
import { Duration, isList, Timestamp, type CelValue } from './values.js';

/** The kinds of CEL values, one bit each, so that one number represents a set of kinds. */
export const kinds = {
  null: 1,
  boolean: 2,
  number: 4,
  string: 8,
  list: 16,
  object: 32,
  timestamp: 64,
  duration: 128,
} as const;

/** A set of kinds of CEL values, as the sum of their bits in `kinds`. */
export type KindSet = number;

export const anyKind: KindSet = 255;
export const anyButNull: KindSet = anyKind & ~kinds.null;

/** Returns the names of the kinds for messages, such as "a number, a string or null". */
export function namesOfKinds(set: KindSet): string {
  const names = Object.entries(kinds)
    .filter(([, bit]) => set & bit)
    .map(([name]) => (name === 'null' ? name : `${name === 'object' ? 'an' : 'a'} ${name}`));
  return names.length > 1 ? `${names.slice(0, -1).join(', ')} or ${names.at(-1)}` : names.join('');
}

/** Returns the kind of a CEL value, as a set with one kind. */
export function kindsOf(value: CelValue): KindSet {
  if (typeof value !== 'object')
    return typeof value === 'bigint' ? kinds.number : kinds[typeof value as PrimitiveValue];
  if (value === null) return kinds.null;
  if (isList(value)) return kinds.list;
  if (value instanceof Timestamp) return kinds.timestamp;
  if (value instanceof Duration) return kinds.duration;
  return value instanceof DecimalText ? kinds.number : kinds.object;
}

type PrimitiveValue = 'boolean' | 'number' | 'string';
