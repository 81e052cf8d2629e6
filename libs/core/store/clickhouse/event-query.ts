import { formatTime } from '#json';
import { streamNameOf, type StoredEvent } from '#event';
import { allStreams } from '#api';
import type { EventPageSortKey } from '../event-page-sort-key.js';
import type { EventFilter, EventIdQuery } from '../store.js';
import { conditions, whereClause, readableEventColumns } from './connection/event-conditions.js';
import { SqlParams, type ParameterizedSql } from './connection/sql-params.js';
import { namedStreams, streamConditions } from './connection/stream-scope.js';
import {
  assertRangesBounded,
  assertStoredIdsBounded,
  type LogOrderQuery,
  type OffsetRange,
  type StoredEventIdsQuery,
} from '../log-order.js';

/** A query for the rows of one page of events. An event that was written twice may have two rows. */
export interface EventPageQuery extends EventFilter {
  order: 'asc' | 'desc';
  /** Maximum number of rows that the query selects. */
  rows: number;
  /** Only rows after this position, which is that of the last row before the page. */
  after?: EventPageSortKey;
  /** The last timestamp of the rows, inclusive, in their order. In microseconds since 1970. */
  bound?: number;
}

/** The columns that a query for events selects, in the order of `EventResultRow`. */
export const eventSelection =
  'stream, partition, offset, event_id, event_type, entity_id, version, ' +
  'toUnixTimestamp64Micro(timestamp), toUnixTimestamp64Micro(ingested_at), schema_version, metadata, data';

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

/**
 * A row of the result of a query for events, with the columns of `eventSelection`. Times are in microseconds since
 * 1970.
 */
export type EventResultRow = [
  stream: string,
  partition: number,
  offset: number,
  eventId: string,
  eventType: string,
  entityId: string,
  version: number,
  timestamp: number,
  ingestedAt: number,
  schemaVersion: number,
  metadata: string,
  data: string,
];

export function toStoredEvent(row: EventResultRow): StoredEvent {
  return {
    event_id: row[3],
    stream: streamNameOf(row[0]),
    event_type: row[4],
    entity_id: row[5] === '' ? null : row[5],
    version: row[6] === 0 ? null : row[6],
    timestamp: formatTime(row[7]),
    ingested_at: formatTime(row[8]),
    data: row[11],
    metadata: row[10],
    schema_version: row[9] === 0 ? null : row[9],
    partition: row[1],
    offset: row[2],
  };
}

export function positionOf(row: EventResultRow): EventPageSortKey {
  return { timestamp: row[7], partition: row[1], offset: row[2], stream: row[0] };
}

/** Returns the first row of each event; the rows of one event must be adjacent. */
export function withoutRepeats(rows: readonly EventResultRow[]): EventResultRow[] {
  return rows.filter((row, i) => i === 0 || !sameEvent(row, rows[i - 1] as EventResultRow));
}

/** Whether two rows agree in the sorting key of the table `events`: a merge keeps one of them. */
function sameEvent(a: EventResultRow, b: EventResultRow): boolean {
  return a[2] === b[2] && a[1] === b[1] && a[7] === b[7] && a[0] === b[0];
}

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
