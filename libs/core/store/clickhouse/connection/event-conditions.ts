import { readableColumns, whereToSql, type SqlColumn, type SqlTable } from '#cel';
import type { EventFilter, EventTimeName } from '../../store.js';
import type { SqlParams } from './sql-params.js';
import { equalsOneOf, streamConditions } from './stream-scope.js';

const string = (sql: string): SqlColumn => ({ type: 'string', sql });
const time = (sql: string): SqlColumn => ({ type: 'time', sql });
const integer = (sql: string): SqlColumn => ({ type: 'integer', sql });
/** An integer column in which 0 stands for null. */
const optionalInteger = (column: string): SqlColumn => ({
  type: 'integer',
  sql: `nullIf(${column}, 0)`,
  isNull: `${column} = 0`,
});

/** The columns of the tables of events, for the conditions of queries on the variable `event`. */
export const eventColumns: SqlTable = {
  variable: 'event',
  columns: {
    event_id: string('toString(event_id)'),
    // The column `stream` contains the stream's id, which begins with the stream's name.
    stream: string("substringIndex(stream, '#', 1)"),
    event_type: string('event_type'),
    entity_id: { type: 'string', sql: "nullIf(entity_id, '')", isNull: "entity_id = ''" },
    version: optionalInteger('version'),
    timestamp: time('timestamp'),
    ingested_at: time('ingested_at'),
    schema_version: optionalInteger('schema_version'),
    partition: integer('partition'),
    offset: integer('offset'),
    data: { type: 'json', column: 'data' },
    metadata: { type: 'json', column: 'metadata' },
  },
};

/** The WITH clause that a query with such a condition begins with. */
export const readableEventColumns = readableColumns('data', 'metadata');

/**
 * Returns the SQL conditions for the events that a filter selects, to be joined by AND. `since` and `until` refer to
 * `timeName`.
 */
export function conditions(
  filter: EventFilter,
  params: SqlParams,
  timeName: EventTimeName = 'timestamp',
): string[] {
  const sql = streamConditions(filter, params);
  if (filter.entityIds) sql.push(equalsOneOf('entity_id', filter.entityIds, params));
  if (filter.eventTypes) sql.push(equalsOneOf('event_type', filter.eventTypes, params));
  if (filter.eventTypePrefix !== undefined)
    sql.push(`startsWith(event_type, ${params.bind('String', filter.eventTypePrefix)})`);
  if (filter.since !== undefined) sql.push(`${timeName} >= ${params.time(filter.since)}`);
  if (filter.until !== undefined) sql.push(`${timeName} < ${params.time(filter.until)}`);
  if (filter.where) sql.push(whereToSql(filter.where, eventColumns, params));
  return sql;
}

/** Joins conditions by AND to a WHERE clause; an empty text without conditions. */
export function whereClause(sql: readonly string[]): string {
  return sql.length === 0 ? '' : `WHERE ${sql.join(' AND ')}`;
}
