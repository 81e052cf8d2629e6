import type { CountQuery } from '../store.js';
import { tableFor, type Sql } from './event-query.js';
import { conditions, whereClause } from './filter-to-sql.js';
import { Params } from './params.js';
import { keptSegments } from './summaries.js';
import { readableColumns } from '#cel';

/** A bucket as `countSql` selects it; `total` is the same in every row. */
export type SelectedBucket = [start: number, group: string, count: number, total: number];

/**
 * Counts by bucket of time and by group. `final` merges an event's rows while reading: needed where an event may have
 * more than one, and two to three times slower. ORDER BY start, group: the answer's order, stable where `limit` cuts.
 */
export function countSql(query: CountQuery, final: boolean): Sql {
  const params = new Params();
  const where = whereClause(conditions(query, params));
  return {
    query: `${query.where ? readableColumns : ''}
SELECT ${startOf(query, params)} AS bucket_start, ${query.groupBy ?? "''"} AS bucket_group, count() AS events,
  sum(events) OVER () AS total
FROM ${tableFor(query)}${final ? ' FINAL' : ''}
${where}
GROUP BY bucket_start, bucket_group
ORDER BY bucket_start, bucket_group
LIMIT ${params.bind('UInt64', query.limit)}`,
    params: params.values,
  };
}

/** Buckets are counted from 1970, also before it. */
function startOf(query: CountQuery, params: Params): string {
  if (query.intervalSeconds === undefined) return '0';
  const width = params.bind('Int64', query.intervalSeconds * 1_000_000);
  return `toUnixTimestamp64Micro(timestamp) - positiveModulo(toUnixTimestamp64Micro(timestamp), ${width})`;
}

/** Whether the table has more rows than events. Every event sets one bit of `positions`, removed ones another. */
export const repeatedRowsSql = `
SELECT (SELECT count() FROM events) != (SELECT sum(kept) FROM (${keptSegments([])}))`;

/** Whether the bits of `positions` alone can say it: no condition but on the stream, no bucket but the stream. */
export function countsWholeStreams(query: CountQuery): boolean {
  const { access: _access, hidden: _hidden, streams: _streams, groupBy, limit: _limit, ...others } = query;
  const grouped = groupBy === undefined || groupBy === 'stream';
  return grouped && Object.values(others).every((value) => value === undefined);
}
