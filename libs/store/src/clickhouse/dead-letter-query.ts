import { decodeCursor, encodeCursor } from '../cursor.js';
import type { DeadLetter, DeadLetterQuery } from '../store.js';
import type { Sql } from './event-query.js';
import { whereClause } from './filter-to-sql.js';
import { Params } from './params.js';
import { streamConditions } from './stream-scope.js';

export type SelectedDeadLetter = [
  source: string,
  stream: string,
  partition: number,
  offset: number,
  reason: string,
  error: string,
  event: string,
  createdAt: number,
];

/**
 * ORDER BY created_at and then the identity, newest first. FINAL, because a letter that was written again may have
 * another time and would not stand beside the first; dead letters are few.
 */
export function deadLettersSql(query: DeadLetterQuery): Sql {
  const params = new Params();
  const conditions = filter(query, params);
  if (query.cursor !== undefined) conditions.push(afterCursor(query, query.cursor, params));
  return {
    query: `SELECT source, stream, partition, offset, reason, error, event, toUnixTimestamp64Micro(created_at)
FROM dead_letters FINAL
${whereClause(conditions)}
ORDER BY created_at DESC, source DESC, stream DESC, partition DESC, offset DESC
LIMIT ${params.bind('UInt64', query.limit + 1)}`,
    params: params.values,
  };
}

export function deadLettersTotalSql(query: DeadLetterQuery): Sql {
  const params = new Params();
  return {
    query: `SELECT count() FROM dead_letters FINAL ${whereClause(filter(query, params))}`,
    params: params.values,
  };
}

export function deadLettersCursor(query: DeadLetterQuery, last: DeadLetter): string {
  const { created_at, source, stream, partition, offset } = last;
  return encodeCursor(binding(query), [created_at, source, stream, partition, offset]);
}

function filter(query: DeadLetterQuery, params: Params): string[] {
  const conditions = streamConditions(query, params);
  if (query.source !== undefined) conditions.push(`source = ${params.bind('String', query.source)}`);
  if (query.since !== undefined) conditions.push(`created_at >= ${params.time(query.since)}`);
  if (query.until !== undefined) conditions.push(`created_at < ${params.time(query.until)}`);
  return conditions;
}

function afterCursor(query: DeadLetterQuery, cursor: string, params: Params): string {
  const types = ['number', 'string', 'string', 'number', 'number'] as const;
  const [createdAt, source, stream, partition, offset] = decodeCursor(binding(query), cursor, types);
  const values = [
    params.time(createdAt as number),
    params.bind('String', source),
    params.bind('String', stream),
    params.bind('UInt16', partition),
    params.bind('UInt64', offset),
  ];
  return `(created_at, source, stream, partition, offset) < (${values.join(', ')})`;
}

function binding(query: DeadLetterQuery): unknown {
  return ['dead_letters', query.source ?? null, query.since ?? null, query.until ?? null];
}
