import { UntranslatableExpressionError } from '../errors.js';
import { exactColumn, readableColumn } from './readable.js';

/**
 * A CEL value as SQL. The kind of a JSON member is known only when a row is read, so there is an expression for each
 * possible kind, which is NULL for values of other kinds. CEL's errors (a missing member, a wrong type) are NULL too,
 * because SQL's AND, OR and NOT treat NULL as CEL's `&&`, `||` and `!` treat errors.
 */
export interface SqlValue {
  at: number;
  string?: string;
  /** SQL of the type Nullable(Float64): the nearest double of the number. */
  number?: string;
  /** SQL of the type Nullable(Decimal(76, 36)): the exact number, or NULL if computations do not support the number. */
  decimal?: string;
  /** SQL of the type Int128: the number of an integer column or literal, which ClickHouse compares fastest. */
  integer?: string;
  /** True if the value is a number that results from a computation, so that `number` is derived from `decimal`. */
  isComputed?: boolean;
  bool?: string;
  /** SQL for a time, as microseconds since 1970. */
  timestamp?: string;
  /** SQL for a duration in microseconds. */
  duration?: string;
  /** SQL that is 1 in rows where the value is CEL's null. */
  isNull?: string;
  /** SQL that is 1 if the value exists, including null, and 0 if the value is an error. */
  exists: string;
  /** The location in a JSON column, if the value may be a list or an object. */
  container?: JsonLocation;
  /** SQL that is 1 if the value is a list or an object. */
  isContainer?: string;
}

/** A location in a JSON column: the column, and the SQL of each step of the path. */
export interface JsonLocation {
  column: string;
  steps: string[];
}

/** A kind of CEL value for which an `SqlValue` has SQL. */
export type SqlKind = 'string' | 'number' | 'bool' | 'timestamp' | 'duration';
export const kinds: readonly SqlKind[] = ['string', 'number', 'bool', 'timestamp', 'duration'];

/** Returns an SQL value that can only be of this kind. The value is an error in rows where its SQL is NULL. */
export function valueOf(kind: SqlKind, sql: string, at: number): SqlValue {
  return { at, [kind]: sql, exists: `isNotNull(${sql})` };
}

/** Returns a value's SQL as one kind. @throws UntranslatableExpressionError if it can never be of that kind */
export function requireKind(value: SqlValue, kind: SqlKind | 'decimal', what: string): string {
  const sql = value[kind];
  if (sql === undefined) {
    const needed = kind === 'decimal' ? 'number' : kind;
    throw new UntranslatableExpressionError(`${what} needs a ${needed} here.`, value.at);
  }
  return sql;
}

/** Returns the call of a ClickHouse JSON function on a `readableColumn`: `JSONType(readable_data, 'a', 'b')`. */
export function json(name: string, path: JsonLocation, more: readonly string[] = []): string {
  return `${name}(${[`readable_${path.column}`, ...path.steps, ...more].join(', ')})`;
}

/** Returns the call of a ClickHouse JSON function on an `exactColumn`: `JSONExtractRaw(exact_data, 'a')`. */
export function exactJson(name: string, path: JsonLocation): string {
  return `${name}(${[`exact_${path.column}`, ...path.steps].join(', ')})`;
}

/** Returns the WITH clause that defines, for these JSON columns, the columns that the SQL of a condition refers to. */
export function readableColumns(...columns: readonly string[]): string {
  const readable = columns.map((column) => `${readableColumn(column)} AS readable_${column}`);
  const exact = columns.map((column) => `${exactColumn(column)} AS exact_${column}`);
  return `WITH ${[...readable, ...exact].join(', ')}`;
}
