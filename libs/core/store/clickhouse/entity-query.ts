import type { ScopedEntityReference } from '../store.js';
import { whereClause } from './connection/event-conditions.js';
import { SqlParams, type ParameterizedSql } from './connection/sql-params.js';
import { containsEntityId } from './removal/erase-dead-letters.js';
import { streamConditions } from './connection/stream-scope.js';

/** A row of the result of `erasableDataSql`: the kind of stored data that an erasure of the entity would remove. */
export type ErasableDataKindRow = [kind: 'entities' | 'events' | 'dead_letters'];

/**
 * Selects one row for each of the tables `entities`, `events_by_entity` and `dead_letters` that contains data of the
 * entity; no rows for an unknown entity.
 */
export function erasableDataSql({ stream, entityId, ...permitted }: ScopedEntityReference): ParameterizedSql {
  const params = new SqlParams();
  const ofStream = streamConditions({ ...permitted, streams: [stream] }, params);
  const entity = params.bind('String', entityId);
  const itsLetter = `(JSONExtractString(event, 'entity_id') = ${entity} OR ${containsEntityId})`;
  const one = (kind: ErasableDataKindRow[0], table: string, condition: string) =>
    `(SELECT '${kind}' FROM ${table} ${whereClause([...ofStream, condition])} LIMIT 1)`;
  const selects = [
    one('entities', 'entities', `entity_id = ${entity}`),
    one('events', 'events_by_entity', `entity_id = ${entity}`),
    one('dead_letters', 'dead_letters', itsLetter),
  ];
  return {
    query: selects.join('\nUNION ALL\n'),
    params: { ...params.values, literal: JSON.stringify(entityId) },
  };
}
