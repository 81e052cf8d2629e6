import type { EntityQuery } from '../store.js';
import type { Sql } from './event-query.js';
import { whereClause } from './filter-to-sql.js';
import { Params } from './params.js';
import { holdsId } from './removal/erased-letters.js';
import { streamConditions } from './stream-scope.js';

/** A row of the result of `entityTracesSql`. */
export type SelectedTrace = [kind: 'entities' | 'events' | 'dead_letters'];

/** Selects one row for each table that contains the entity; no rows for an unknown entity. */
export function entityTracesSql({ stream, entityId, ...permitted }: EntityQuery): Sql {
  const params = new Params();
  const ofStream = streamConditions({ ...permitted, streams: [stream] }, params);
  const entity = params.bind('String', entityId);
  const itsLetter = `(JSONExtractString(event, 'entity_id') = ${entity} OR ${holdsId})`;
  const one = (kind: SelectedTrace[0], table: string, condition: string) =>
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
