import type { EventCountQuery, QuantileQuery } from '../store.js';
import { tableFor } from './event-query.js';
import { conditions, whereClause, readableEventColumns } from './connection/event-conditions.js';
import { SqlParams, type ParameterizedSql } from './connection/sql-params.js';
import { binSql, quantileBinsSql, type QuantileBinsRow } from './quantile-bins.js';
import { existingOffsetsSql } from './summaries.js';

/** A row of the result of `countSql`. `total` is the same in every row. */
export type StoredEventCountBucketRow = [
  start: number,
  group: string,
  count: number,
  total: number,
  bins?: QuantileBinsRow,
];

/**
 * Counts events by time bucket and group. `final` deduplicates the rows of each event while reading. Deduplication is
 * needed if an event may have several rows, and makes the query two to three times slower. ORDER BY start, group: the
 * order of the answer, so `limit` always cuts at the same bucket.
 */
export function countSql(query: EventCountQuery, final: boolean): ParameterizedSql {
  if (query.quantiles) return quantilesSql(query, query.quantiles, final);
  const params = new SqlParams();
  const where = whereClause(conditions(query, params, query.time));
  return params.statement(`${query.where ? readableEventColumns : ''}
SELECT ${startOf(query, params)} AS bucket_start, ${query.groupBy ?? "''"} AS bucket_group, count() AS events,
  sum(events) OVER () AS total
FROM ${tableFor(query)}${final ? ' FINAL' : ''}
${where}
GROUP BY bucket_start, bucket_group
ORDER BY bucket_start, bucket_group
LIMIT ${params.bind('UInt64', query.limit)}`);
}

/** Counts the events of each bin first, so that ClickHouse keeps bins instead of numbers. */
function quantilesSql(query: EventCountQuery, quantiles: QuantileQuery, final: boolean): ParameterizedSql {
  const params = new SqlParams();
  const where = whereClause(conditions(query, params, query.time));
  return params.statement(`
SELECT bucket_start, bucket_group, sum(events_in_bin) AS events, sum(events) OVER () AS total,
  ${quantileBinsSql(quantiles, params)} AS quantile_bins
FROM (${readableEventColumns}
  SELECT ${startOf(query, params)} AS bucket_start, ${query.groupBy ?? "''"} AS bucket_group,
    ${binSql(quantiles, params)} AS bin, count() AS events_in_bin
  FROM ${tableFor(query)}${final ? ' FINAL' : ''}
  ${where}
  GROUP BY bucket_start, bucket_group, bin)
GROUP BY bucket_start, bucket_group
ORDER BY bucket_start, bucket_group
LIMIT ${params.bind('UInt64', query.limit)}`);
}

/**
 * Returns the start of an event's time bucket. Buckets of a width are aligned to 1970-01-01, also for earlier times.
 * Those of a calendar are given, so that the zone data of Node.js decide, and not those of ClickHouse.
 */
function startOf(query: EventCountQuery, params: SqlParams): string {
  const time = `toUnixTimestamp64Micro(${query.time ?? 'timestamp'})`;
  if (query.bucketStarts) return `roundDown(${time}, ${params.bind('Array(Int64)', query.bucketStarts)})`;
  if (query.intervalSeconds === undefined) return '0';
  const width = params.bind('Int64', query.intervalSeconds * 1_000_000);
  return `${time} - positiveModulo(${time}, ${width})`;
}

/**
 * Whether the table has more rows than events. Each event sets one bit in `positions`, and each removed event
 * sets the same bit in `removed_positions`.
 */
export const repeatedRowsSql = `
SELECT (SELECT count() FROM events) != (SELECT sum(kept) FROM (${existingOffsetsSql([])}))`;

const onStreams = new Set(['access', 'hidden', 'streams', 'groupBy', 'limit', 'time']);

/** Whether the bitmaps in `positions` answer the query: its only filter is on streams, as is its grouping. */
export function countsWholeStreams(query: EventCountQuery): boolean {
  if (query.groupBy !== undefined && query.groupBy !== 'stream') return false;
  return Object.entries(query).every(([name, value]) => onStreams.has(name) || value === undefined);
}
