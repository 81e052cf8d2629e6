import { TupleParam } from '@clickhouse/client';
import { streamNameOf } from '#event';
import { decodeCursor, encodeCursor } from '../cursor.js';
import { deadLetterHashSql, deadLetterId, parseDeadLetterIds } from '../dead-letter-id.js';
import { parseFailureLocation } from '../pipeline-failure-location.js';
import type { DeadLetterQuery, StoredDeadLetter } from '../store.js';
import { whereClause } from './connection/event-conditions.js';
import { SqlParams, type ParameterizedSql } from './connection/sql-params.js';
import { everyStreamCondition, streamConditions } from './connection/stream-scope.js';

/** A row of the result of `deadLettersSql`. `replayedAt` is 0 for a dead letter that was never replayed. */
export type DeadLetterRow = [
  ...[source: string, stream: string, partition: number, offset: number, step: string],
  ...[reason: string, error: string, event: string, createdAt: number, replayedAt: number],
  /**
   * Number of matching dead letters from the first one of the page on, counted at most up to the limit of the page plus
   * one; more than the page has means that there is a next page.
   */
  found: number,
];

export function toStoredDeadLetter(row: DeadLetterRow): StoredDeadLetter {
  const [source, stream, partition, offset, text, reason, error, event, created_at, replayedAt] = row;
  const step = parseFailureLocation(text);
  const id = deadLetterId({ source, stream, partition, offset, step });
  const replayed_at = replayedAt === 0 ? null : replayedAt;
  const position = { source, stream: streamNameOf(stream), partition, offset, ...(step && { step }) };
  return { id, ...position, reason, error, event, created_at, replayed_at };
}

const identity = 'source, stream, partition, offset, step';
/** A replay mark belongs to the dead letter with this identity and event: see 0006_dead_letter_replays.sql. */
const replayMarkKey = `${identity}, event_hash`;
const replayMarkKeyOfDeadLetter = `${identity}, sipHash64(event)`;
const order = 'ORDER BY created_at DESC, source DESC, stream DESC, partition DESC, offset DESC, step DESC';

/**
 * ORDER BY created_at, then the identity, newest first. FINAL is needed because a dead letter that was written again
 * can have another `created_at`, so its rows are not adjacent; dead letters are few. Replay marks are joined only to
 * the page. A page ends before the dead letter that would exceed `maxBytes`; `found` then shows that there are more.
 */
export function deadLettersSql(query: DeadLetterQuery): ParameterizedSql {
  const params = new SqlParams();
  const conditions = filter(query, params);
  if (query.cursor !== undefined) conditions.push(afterCursor(query, query.cursor, params));
  return params.statement(`SELECT ${identity}, reason, error, event, toUnixTimestamp64Micro(created_at), replayed_at, found
FROM (
  SELECT ${identity}, reason, error, event, created_at, sipHash64(event) AS event_hash,
    count() OVER () AS found,
    sum(length(event)) OVER (${order} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS bytes
  FROM (
    SELECT ${identity}, reason, error, event, created_at
    FROM dead_letters FINAL
    ${whereClause(conditions)}
    ${order}
    LIMIT ${params.bind('UInt64', query.limit + 1)})) AS dead_letters_of_page
LEFT JOIN (
  SELECT ${replayMarkKey}, max(marks.replayed_at) AS replayed_at FROM dead_letter_replays AS marks GROUP BY ${replayMarkKey}) AS replays
USING (${replayMarkKey})
WHERE bytes <= ${params.bind('UInt64', query.maxBytes ?? Number.MAX_SAFE_INTEGER)} OR bytes = length(event)
${order}`);
}

export function deadLettersTotalSql(query: DeadLetterQuery): ParameterizedSql {
  const params = new SqlParams();
  return params.statement(`SELECT count() FROM dead_letters FINAL ${whereClause(filter(query, params))}`);
}

/** Inserts a replay mark for each of these dead letters: its identity, a hash of its current event, and the time. */
export function markReplayedSql(ids: readonly string[], at: number): ParameterizedSql {
  const params = new SqlParams();
  return params.statement(`INSERT INTO dead_letter_replays (${replayMarkKey}, replayed_at)
SELECT ${replayMarkKeyOfDeadLetter}, ${params.bind('Int64', at)}
FROM dead_letters FINAL
WHERE ${named(ids, params)}`);
}

export function deadLettersCursor(query: DeadLetterQuery, last: DeadLetterRow): string {
  const [source, stream, partition, offset, step] = last;
  return encodeCursor(binding(query), [last[8], source, stream, partition, offset, step]);
}

function filter(query: DeadLetterQuery, params: SqlParams): string[] {
  const conditions = [...streamConditions(query, params), ...everyStreamCondition('streams', query, params)];
  if (query.ids) conditions.push(named(query.ids, params));
  if (query.source !== undefined) conditions.push(`source = ${params.bind('String', query.source)}`);
  if (query.since !== undefined) conditions.push(`created_at >= ${params.time(query.since)}`);
  if (query.until !== undefined) conditions.push(`created_at < ${params.time(query.until)}`);
  if (query.replayed !== undefined) {
    const among = query.replayed ? 'IN' : 'NOT IN';
    conditions.push(
      `(${replayMarkKeyOfDeadLetter}) ${among} (SELECT ${replayMarkKey} FROM dead_letter_replays)`,
    );
  }
  return conditions;
}

function named(ids: readonly string[], params: SqlParams): string {
  const keys = parseDeadLetterIds(ids);
  const positions = keys.map(([partition, offset]) => new TupleParam([partition, offset]));
  const all = keys.map((key) => new TupleParam(key));
  // The hash is computed only for the few rows at these positions.
  return `(partition, offset) IN ${params.bind('Array(Tuple(UInt16, UInt64))', positions)}
  AND (partition, offset, ${deadLetterHashSql}) IN ${params.bind('Array(Tuple(UInt16, UInt64, String))', all)}`;
}

function afterCursor(query: DeadLetterQuery, cursor: string, params: SqlParams): string {
  const types = ['number', 'string', 'string', 'number', 'number', 'string'] as const;
  const [createdAt, source, stream, partition, offset, step] = decodeCursor(binding(query), cursor, types);
  const values = [
    params.time(createdAt as number),
    params.bind('String', source),
    params.bind('String', stream),
    params.bind('UInt16', partition),
    params.bind('UInt64', offset),
    params.bind('String', step),
  ];
  return `(created_at, ${identity}) < (${values.join(', ')})`;
}

function binding(query: DeadLetterQuery): unknown {
  const { ids, source = null, since = null, until = null, replayed = null } = query;
  return ['dead_letters', ids ? [...ids].sort() : null, source, since, until, replayed];
}
