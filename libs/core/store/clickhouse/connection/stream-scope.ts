import { permitsStream, reservedStreamPrefix, type StreamAccess } from '#api';
import { streamNameOf } from '#event';
import type { AuthorizationScope } from '../../store.js';
import type { SqlParams } from './sql-params.js';

/** The streams of a query: those that the caller may see, of which the query may name some by their ids. */
export interface ScopedStreamFilter extends AuthorizationScope {
  streams?: readonly string[];
}

/** Returns the only streams that the answer can contain; undefined if a prefix, or nothing, limits them. */
export function namedStreams({ access, hidden, streams }: ScopedStreamFilter): string[] | undefined {
  const names = streams ?? (access.patterns?.some(isPrefix) ? undefined : access.patterns);
  return (
    names && [...new Set(names)].filter((name) => permitsStream(access, name) && !hidden?.includes(name))
  );
}

/** SQL condition that excludes rows of dropped streams, which may have been written after the drop. */
const notDropped = 'stream NOT IN (SELECT stream FROM dropped_streams)';

/**
 * Returns the conditions that limit an answer to the streams of the scope, to be joined by AND. Every SELECT
 * that answers a caller's query includes them.
 */
export function streamConditions(scope: ScopedStreamFilter, params: SqlParams): string[] {
  const permitted = scopeConditions(scope, params);
  return namedStreams(scope) ? permitted : [...permitted, notDropped];
}

/**
 * Returns the SQL conditions that limit an answer to the streams of the scope, for a table that contains no rows of
 * dropped streams.
 */
export function scopeConditions(scope: ScopedStreamFilter, params: SqlParams): string[] {
  const names = namedStreams(scope);
  if (names) return [equalsOneOf('stream', names, params)];
  const { access, hidden = [] } = scope;
  const sql = accessConditions('stream', access, params);
  if (hidden.length > 0) sql.push(`stream NOT IN ${params.bind('Array(String)', hidden)}`);
  return sql;
}

/**
 * Returns a condition on a column of stream names: the caller may see all of them, and the list is not empty.
 * No condition for a caller that may see everything. Stream ids in the access are replaced by names.
 */
export function everyStreamCondition(
  column: string,
  { access }: ScopedStreamFilter,
  params: SqlParams,
): string[] {
  const patterns = access.patterns?.map(streamNameOf);
  const ofEach = accessConditions('name', { ...access, patterns }, params);
  if (ofEach.length === 0) return [];
  return [`notEmpty(${column}) AND arrayAll(name -> ${ofEach.join(' AND ')}, ${column})`];
}

function accessConditions(column: string, { patterns, reserved }: StreamAccess, params: SqlParams): string[] {
  const sql = patterns ? [anyOf(column, patterns, params)] : [];
  if (!reserved) sql.push(`NOT startsWith(${column}, ${params.bind('String', reservedStreamPrefix)})`);
  return sql;
}

/** A single value is compared with `=`: only then can ClickHouse read the rest of the sorting key in order. */
export function equalsOneOf(column: string, values: readonly string[], params: SqlParams): string {
  return values.length === 1
    ? `${column} = ${params.bind('String', values[0])}`
    : `${column} IN ${params.bind('Array(String)', values)}`;
}

function anyOf(column: string, patterns: readonly string[], params: SqlParams): string {
  const names = patterns.filter((pattern) => !isPrefix(pattern));
  const prefixes = patterns.filter(isPrefix).map((pattern) => pattern.slice(0, -1));
  const sql = [
    ...(names.length > 0 || prefixes.length === 0 ? [equalsOneOf(column, names, params)] : []),
    ...prefixes.map((prefix) => `startsWith(${column}, ${params.bind('String', prefix)})`),
  ];
  return `(${sql.join(' OR ')})`;
}

function isPrefix(pattern: string): boolean {
  return pattern.endsWith('*');
}
