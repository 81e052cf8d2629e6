import type { EventFilter, EventTimeName } from '../store.js';
import type { SqlParams } from './sql-params.js';
import { equalsOneOf, streamConditions } from './stream-scope.js';
import { whereToSql } from '#cel';
import { eventColumns } from './event-columns.js';

/**
 * Returns the SQL conditions for the events that a filter selects, to be joined by AND. `time` is the time that `since` and
 * `until` refer to.
 */
export function conditions(
  filter: EventFilter,
  params: SqlParams,
  time: EventTimeName = 'timestamp',
): string[] {
  const sql = streamConditions(filter, params);
  if (filter.entityIds) sql.push(equalsOneOf('entity_id', filter.entityIds, params));
  if (filter.eventTypes) sql.push(equalsOneOf('event_type', filter.eventTypes, params));
  if (filter.eventTypePrefix !== undefined) {
    sql.push(`startsWith(event_type, ${params.bind('String', filter.eventTypePrefix)})`);
  }
  if (filter.since !== undefined) sql.push(`${time} >= ${params.time(filter.since)}`);
  if (filter.until !== undefined) sql.push(`${time} < ${params.time(filter.until)}`);
  if (filter.where) sql.push(whereToSql(filter.where, eventColumns, params));
  return sql;
}

export function whereClause(sql: readonly string[]): string {
  return sql.length === 0 ? '' : `WHERE ${sql.join(' AND ')}`;
}
