import { permitsStream, reservedStreamPrefix } from '#contracts';
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

/**
 * The conditions that keep an answer to the streams of the scope, to be joined by AND. Every SELECT for a reader has
 * them.
 */
export function streamConditions(scope: StreamScope, params: Params): string[] {
  const names = namedStreams(scope);
  if (names) return [oneOf('stream', names, params)];
  const { access, hidden = [] } = scope;
  const sql: string[] = [];
  if (access.patterns) sql.push(anyOf(access.patterns, params));
  if (!access.reserved) sql.push(`NOT startsWith(stream, ${params.bind('String', reservedStreamPrefix)})`);
  if (hidden.length > 0) sql.push(`stream NOT IN ${params.bind('Array(String)', hidden)}`);
  return sql;
}

/** A single value is compared with `=`: only then does ClickHouse read what follows it in the key in order. */
export function oneOf(column: string, values: readonly string[], params: Params): string {
  return values.length === 1
    ? `${column} = ${params.bind('String', values[0])}`
    : `${column} IN ${params.bind('Array(String)', values)}`;
}

function anyOf(patterns: readonly string[], params: Params): string {
  const names = patterns.filter((pattern) => !isPrefix(pattern));
  const sql = [
    ...(names.length > 0 ? [oneOf('stream', names, params)] : []),
    ...patterns
      .filter(isPrefix)
      .map((pattern) => `startsWith(stream, ${params.bind('String', pattern.slice(0, -1))})`),
  ];
  return `(${sql.join(' OR ')})`;
}

function isPrefix(pattern: string): boolean {
  return pattern.endsWith('*');
}
