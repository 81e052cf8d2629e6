import { permitsStream, reservedStreamPrefix, type StreamAccess } from '#api';
import { streamName } from '#event';
import type { Permitted } from '../store.js';
import type { Params } from './params.js';

/** What a question says about streams: what its asker may see, and which of them are asked for. */
export interface StreamScope extends Permitted {
  streams?: readonly string[];
}

/**
 * The only streams that can be in the answer, where names alone say it; undefined where a prefix, or nothing, limits
 * it. What is asked for and not permitted is not among them.
 */
export function namedStreams({ access, hidden, streams }: StreamScope): string[] | undefined {
  const names = streams ?? (access.patterns?.some(isPrefix) ? undefined : access.patterns);
  return (
    names && [...new Set(names)].filter((name) => permitsStream(access, name) && !hidden?.includes(name))
  );
}

/** Rows of dropped streams that came late. */
const notDropped = 'stream NOT IN (SELECT stream FROM dropped_streams)';

/**
 * The conditions that keep an answer to the streams of the scope, to be joined by AND. Every SELECT for a reader has
 * them.
 */
export function streamConditions(scope: StreamScope, params: Params): string[] {
  const permitted = permittedConditions(scope, params);
  return namedStreams(scope) ? permitted : [...permitted, notDropped];
}

/** The same for a table in which rows of dropped streams are left out already. */
export function permittedConditions(scope: StreamScope, params: Params): string[] {
  const names = namedStreams(scope);
  if (names) return [oneOf('stream', names, params)];
  const { access, hidden = [] } = scope;
  const sql = accessConditions('stream', access, params);
  if (hidden.length > 0) sql.push(`stream NOT IN ${params.bind('Array(String)', hidden)}`);
  return sql;
}

/**
 * The condition that keeps out rows of which the asker may not see every stream in a column of names, and rows of which
 * nobody knows the streams; none for an asker who may see everything. An id in the access stands for its name.
 */
export function everyStreamCondition(column: string, { access }: StreamScope, params: Params): string[] {
  const patterns = access.patterns?.map(streamName);
  const ofEach = accessConditions('name', { ...access, patterns }, params);
  if (ofEach.length === 0) return [];
  return [`notEmpty(${column}) AND arrayAll(name -> ${ofEach.join(' AND ')}, ${column})`];
}

function accessConditions(column: string, { patterns, reserved }: StreamAccess, params: Params): string[] {
  const sql = patterns ? [anyOf(column, patterns, params)] : [];
  if (!reserved) sql.push(`NOT startsWith(${column}, ${params.bind('String', reservedStreamPrefix)})`);
  return sql;
}

/** A single value is compared with `=`: only then does ClickHouse read what follows it in the key in order. */
export function oneOf(column: string, values: readonly string[], params: Params): string {
  return values.length === 1
    ? `${column} = ${params.bind('String', values[0])}`
    : `${column} IN ${params.bind('Array(String)', values)}`;
}

function anyOf(column: string, patterns: readonly string[], params: Params): string {
  const names = patterns.filter((pattern) => !isPrefix(pattern));
  const prefixes = patterns.filter(isPrefix).map((pattern) => pattern.slice(0, -1));
  const sql = [
    ...(names.length > 0 || prefixes.length === 0 ? [oneOf(column, names, params)] : []),
    ...prefixes.map((prefix) => `startsWith(${column}, ${params.bind('String', prefix)})`),
  ];
  return `(${sql.join(' OR ')})`;
}

function isPrefix(pattern: string): boolean {
  return pattern.endsWith('*');
}
