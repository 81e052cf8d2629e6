import type { EventPageSortKey } from '../event-page-sort-key.js';
import type { EventFilter, EventIdQuery } from '../store.js';
import { conditions, whereClause, readableEventColumns } from './connection/event-conditions.js';
import { SqlParams, type ParameterizedSql } from './connection/sql-params.js';
import { namedStreams, streamConditions } from './connection/stream-scope.js';

/**
 * A query for the rows of one page of events in ClickHouse. An event that was written twice may still have two rows in
 * the result.
 */
export interface EventPageQuery extends EventFilter {
  order: 'asc' | 'desc';
  /** Maximum number of rows that the query selects. */
  rows: number;
  /** Only rows after this position, which is that of the last row before the page. */
  after?: EventPageSortKey;
  /**
   * Ascending order: only rows with a timestamp up to this one, inclusive; descending order: only rows from this one
   * on. In microseconds since 1970.
   */
  bound?: number;
}

/** The columns that a query for events selects, in the order of `EventResultRow`. */
export const eventSelection = [
  'stream',
  'partition',
  'offset',
  'event_id',
  'event_type',
  'entity_id',
  'version',
  'toUnixTimestamp64Micro(timestamp)',
  'toUnixTimestamp64Micro(ingested_at)',
  'schema_version',
  'metadata',
  'data',
].join(', ');

/**
 * Returns the table to read. `events_by_entity` stores the events of an entity next to each other; `events`
 * has the page order.
 */
export function tableFor(filter: EventFilter): 'events' | 'events_by_entity' {
  return filter.entityIds ? 'events_by_entity' : 'events';
}

/**
 * Selects one page of events.
 *
 * ORDER BY timestamp, partition, offset: the documented page order. Within one stream it is the sorting key
 * of the table `events`, so ClickHouse reads only the rows of the page, in either direction. `stream` follows
 * as the last sort column: it decides between events of different streams with the same first three values. A
 * query for one stream omits it.
 */
export function eventPageSql(query: EventPageQuery): ParameterizedSql {
  const params = new SqlParams();
  const sql = conditions(query, params);
  if (query.after) sql.push(...positionConditions(query.after, query.order, params));
  if (query.bound !== undefined) {
    sql.push(`timestamp ${query.order === 'asc' ? '<=' : '>='} ${params.time(query.bound)}`);
  }
  const direction = query.order === 'asc' ? 'ASC' : 'DESC';
  const columns = namedStreams(query)?.length === 1 ? pageOrder.slice(0, 3) : pageOrder;
  return params.statement(`${query.where ? readableEventColumns : ''}
SELECT ${eventSelection}
FROM ${tableFor(query)}
${whereClause(sql)}
ORDER BY ${columns.map((column) => `${column} ${direction}`).join(', ')}
LIMIT ${params.bind('UInt64', query.rows)}`);
}

const pageOrder = ['timestamp', 'partition', 'offset', 'stream'];

/**
 * Returns two conditions for rows after a position: one on the timestamp alone, with which ClickHouse's primary key
 * skips earlier granules, and one on the whole position, which is exact.
 */
function positionConditions(after: EventPageSortKey, order: 'asc' | 'desc', params: SqlParams): string[] {
  const operator = order === 'asc' ? '>' : '<';
  const timestamp = params.time(after.timestamp);
  const partition = params.bind('UInt16', after.partition);
  const offset = params.bind('UInt64', after.offset);
  const stream = params.bind('String', after.stream);
  return [
    `timestamp ${operator}= ${timestamp}`,
    `(timestamp, partition, offset, stream) ${operator} (${timestamp}, ${partition}, ${offset}, ${stream})`,
  ];
}

/**
 * Selects the event with an id, by the bloom filter index. An id that was sent again after the deduplication
 * window of guarantee 3 belongs to several events: the event that was ingested first is returned. ORDER BY
 * ingested_at, then the identity.
 */
export function eventByIdSql(query: EventIdQuery): ParameterizedSql {
  const params = new SqlParams();
  const named = `event_id = ${params.bind('UUID', query.eventId)}`;
  return params.statement(`SELECT ${eventSelection}
FROM events
${whereClause([named, ...streamConditions(query, params)])}
ORDER BY ingested_at, stream, partition, offset
LIMIT 1`);
}
