import type { EventPosition } from '../event-position.js';
import type { EventFilter, EventIdQuery } from '../store.js';
import { conditions, whereClause } from './filter-to-sql.js';
import { Params } from './params.js';
import { namedStreams, streamConditions } from './stream-scope.js';
import { readableColumns } from '#cel';

export interface Sql {
  query: string;
  params: Record<string, unknown>;
}

export interface PageQuery extends EventFilter {
  order: 'asc' | 'desc';
  /** Rows to ask for. */
  rows: number;
  /** The page starts right after this. */
  after?: EventPosition;
  /** Nothing past this time (descending: before it) is looked at. */
  bound?: number;
}

/** The columns in the order in which `readEvent` reads them. */
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

/** By entity where entities are named: each of them lies together there. Everything else is in the order of pages. */
export function tableFor(filter: EventFilter): 'events' | 'events_by_entity' {
  return filter.entityIds ? 'events_by_entity' : 'events';
}

/**
 * One page of events.
 *
 * ORDER BY timestamp, partition, offset: the order that pages promise. Within one stream it is the order of the table
 * `events`, so ClickHouse reads just as far as the page goes, from either end. Then `stream`, which decides between
 * events of different streams that have all three in common; with one stream it is left out.
 */
export function eventPageSql(query: PageQuery): Sql {
  const params = new Params();
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

/** The first condition alone lets the primary key skip what lies before; the second makes it exact. */
function positionConditions(after: EventPosition, order: 'asc' | 'desc', params: Params): string[] {
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
 * The event with an id, found by the bloom filter. An id that was sent again after the window of guarantee 3 names
 * several events: the first one that was ingested answers. ORDER BY ingested_at for that, then the identity.
 */
export function eventByIdSql(query: EventIdQuery): Sql {
  const params = new Params();
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
