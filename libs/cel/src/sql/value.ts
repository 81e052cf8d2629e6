import { UntranslatableExpressionError } from './untranslatable.js';
import { exact, readable } from './readable.js';

/**
 * A CEL value as SQL. What a member of `data` is, is known only when a row is read: so a value has one SQL expression
 * for each kind that it can be, which is NULL in rows where it is of another kind. CEL's errors (no such member, wrong
 * type) are NULL as well, and SQL's AND, OR and NOT treat NULL as CEL's `&&`, `||` and `!` treat errors.
 */
export interface Value {
  at: number;
  string?: string;
  /** Nullable(Float64): the double nearest to the number. */
  number?: string;
  /** Nullable(Decimal(76, 36)): the number itself; NULL also where it is out of the range that is computed with. */
  decimal?: string;
  /** Int128: the number again, of columns and literals that are whole: what ClickHouse compares fastest. */
  integer?: string;
  /** The number comes of a computation: `number` is made of `decimal`. */
  isComputed?: boolean;
  bool?: string;
  /** DateTime64(6, 'UTC') as microseconds. */
  timestamp?: string;
  /** Microseconds. */
  duration?: string;
  /** 1 where the value is null. */
  isNull?: string;
  /** 1 where the value exists, null included; 0 where it is an error. */
  exists: string;
  /** A list or an object can stand here, at this place in a JSON column. */
  container?: JsonPlace;
  /** 1 where the value is a list or an object. */
  isContainer?: string;
}

/** A place in a JSON column: the column and the SQL of the steps that lead there. */
export interface JsonPlace {
  column: 'data' | 'metadata';
  steps: string[];
}

export type Kind = 'string' | 'number' | 'bool' | 'timestamp' | 'duration';
export const kinds: readonly Kind[] = ['string', 'number', 'bool', 'timestamp', 'duration'];

/** A value of one kind that exists where its SQL is not NULL. */
export function valueOf(kind: Kind, sql: string, at: number): Value {
  return { at, [kind]: sql, exists: `isNotNull(${sql})` };
}

/** The SQL of one kind. @throws UntranslatableExpressionError when the value can never be of it. */
export function need(value: Value, kind: Kind | 'decimal', what: string): string {
  const sql = value[kind];
  if (sql === undefined) {
    const needed = kind === 'decimal' ? 'number' : kind;
    throw new UntranslatableExpressionError(`${what} needs a ${needed} here.`, value.at);
  }
  return sql;
}

/** `JSONType(data, 'a', 'b')` and the like. */
export function json(name: string, place: JsonPlace, more: readonly string[] = []): string {
  return `${name}(${[`readable_${place.column}`, ...place.steps, ...more].join(', ')})`;
}

/** The same on the text in which numbers have all their digits, and some of them are strings. */
export function exactJson(name: string, place: JsonPlace): string {
  return `${name}(${[`exact_${place.column}`, ...place.steps].join(', ')})`;
}

/** What the SQL of a condition refers to. */
export const readableColumns =
  `WITH ${readable('data')} AS readable_data, ${readable('metadata')} AS readable_metadata, ` +
  `${exact('data')} AS exact_data, ${exact('metadata')} AS exact_metadata`;
