import type { EventPosition } from '../event-position.js';
import type { EventFilter, EventIdQuery } from '../store.js';
import { conditions, whereClause } from './filter-to-sql.js';
import { SqlParams } from './sql-params.js';
import { namedStreams, streamConditions } from './stream-scope.js';
import { readableColumns } from '#cel';

/** A SQL statement with the values of its bound parameters. */
export interface ParameterizedSql {
  query: string;
  params: Record<string, unknown>;
}

/** A query for rows of events, before repeated rows are removed. */
export interface EventPageQuery extends EventFilter {
  order: 'asc' | 'desc';
  /** Maximum number of rows to select. */
  rows: number;
  /** The position right before the page's first row. */
  after?: EventPosition;
  /** The last timestamp to read, inclusive; for descending order, the first one. */
  bound?: number;
}

/** The selected columns, in the order in which `readEvent` reads them. */
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
  return {
    query: `${query.where ? readableColumns : ''}
SELECT ${eventSelection}
FROM ${tableFor(query)}
${whereClause(sql)}
ORDER BY ${columns.map((column) => `${column} ${direction}`).join(', ')}
LIMIT ${params.bind('UInt64', query.rows)}`,
    params: params.values,
  };
}

const pageOrder = ['timestamp', 'partition', 'offset', 'stream'];

/** The first condition lets the primary key skip earlier granules; the second one makes the start exact. */
function positionConditions(after: EventPosition, order: 'asc' | 'desc', params: SqlParams): string[] {
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
  return {
    query: `SELECT ${eventSelection}
FROM events
${whereClause([named, ...streamConditions(query, params)])}
ORDER BY ingested_at, stream, partition, offset
LIMIT 1`,
    params: params.values,
  };
}
