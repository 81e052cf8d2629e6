import { allStreams } from '#api';
import {
  assertRangesBounded,
  assertStoredIdsBounded,
  type LogOrderQuery,
  type OffsetRange,
  type StoredEventIdsQuery,
} from '../log-order.js';
import { tableFor, eventSelection } from './event-query.js';
import { conditions, whereClause, readableEventColumns } from './connection/event-conditions.js';
import { SqlParams, type ParameterizedSql } from './connection/sql-params.js';

/**
 * Selects events in several offset ranges. The condition on the total range of offsets comes first: with it,
 * the offset index skips granules with much older events.
 *
 * ORDER BY stream, partition, offset: log order. After these columns, event_id, so that all rows of one event are
 * adjacent.
 */
export function logOrderSql(query: LogOrderQuery): ParameterizedSql {
  const { ranges, limit } = query;
  assertRangesBounded(ranges);
  const params = new SqlParams();
  const sql = [...conditions({ ...query, streams: streamsOf(ranges) }, params), ...inRanges(ranges, params)];
  return params.statement(`${query.where ? readableEventColumns : ''}
SELECT ${eventSelection}
FROM ${tableFor(query)}
${whereClause(sql)}
ORDER BY stream, partition, offset, event_id
LIMIT ${params.bind('UInt64', limit)}`);
}

/** Selects those of the query's event ids that are stored in its offset ranges. */
export function storedIdsSql(query: StoredEventIdsQuery): ParameterizedSql {
  assertStoredIdsBounded(query);
  const { ranges, ids } = query;
  const params = new SqlParams();
  const sql = [
    ...conditions({ access: allStreams, streams: streamsOf(ranges) }, params),
    ...inRanges(ranges, params),
    `event_id IN ${params.bind('Array(UUID)', ids)}`,
  ];
  return params.statement(`SELECT DISTINCT toString(event_id)
FROM events
${whereClause(sql)}`);
}

function streamsOf(ranges: readonly OffsetRange[]): string[] {
  return [...new Set(ranges.map(({ stream }) => stream))];
}

function inRanges(ranges: readonly OffsetRange[], params: SqlParams): string[] {
  const from = Math.min(...ranges.map((range) => range.from));
  const until = Math.max(...ranges.map((range) => range.until));
  return [
    `offset >= ${params.bind('UInt64', from)} AND offset < ${params.bind('UInt64', until)}`,
    `(${ranges.map((range) => within(range, params)).join(' OR ')})`,
  ];
}

function within({ stream, partition, from, until }: OffsetRange, params: SqlParams): string {
  return [
    `(stream = ${params.bind('String', stream)}`,
    `partition = ${params.bind('UInt16', partition)}`,
    `offset >= ${params.bind('UInt64', from)}`,
    `offset < ${params.bind('UInt64', until)})`,
  ].join(' AND ');
}
