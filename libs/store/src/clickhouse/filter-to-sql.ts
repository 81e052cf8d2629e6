import type { EventFilter } from '../store.js';
import type { SqlParams } from './sql-params.js';
import { equalsOneOf, streamConditions } from './stream-scope.js';
import { whereToSql } from '#cel';

/** Returns the SQL conditions for the events that a filter selects, to be joined by AND. */
export function conditions(filter: EventFilter, params: SqlParams): string[] {
  const sql = streamConditions(filter, params);
  if (filter.entityIds) sql.push(equalsOneOf('entity_id', filter.entityIds, params));
  if (filter.eventTypes) sql.push(equalsOneOf('event_type', filter.eventTypes, params));
  if (filter.eventTypePrefix !== undefined) {
    sql.push(`startsWith(event_type, ${params.bind('String', filter.eventTypePrefix)})`);
  }
  if (filter.since !== undefined) sql.push(`timestamp >= ${params.time(filter.since)}`);
  if (filter.until !== undefined) sql.push(`timestamp < ${params.time(filter.until)}`);
  if (filter.where) sql.push(whereToSql(filter.where, params));
  return sql;
}

export function whereClause(sql: readonly string[]): string {
  return sql.length === 0 ? '' : `WHERE ${sql.join(' AND ')}`;
}
