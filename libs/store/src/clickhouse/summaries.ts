import { decodeCursor, encodeCursor } from '../cursor.js';
import type { EntitiesQuery, StreamsQuery } from '../store.js';
import type { Sql } from './event-query.js';
import { whereClause } from './filter-to-sql.js';
import { Params } from './params.js';
import { streamConditions } from './stream-scope.js';

export type SelectedStream = [stream: string, events: number, first: number, last: number];

/** Distinct offsets are counted as bits, so a repeated row does not count twice. */
export function streamsSql(query: StreamsQuery): Sql {
  const params = new Params();
  const where = whereClause(streamConditions(query, params));
  return {
    query: `SELECT stream, sum(stored) AS events,
  min(first), max(last)
FROM (
  SELECT stream, groupBitmapMerge(offsets) AS stored, min(first_timestamp) AS first, max(last_timestamp) AS last
  FROM positions
  ${where}
  GROUP BY stream, partition, segment)
GROUP BY stream
ORDER BY stream`,
    params: params.values,
  };
}

export type SelectedEntity = [stream: string, entityId: string, version: number, last: number];

/** ORDER BY stream, entity_id: the table's order, so a page reads no further than it goes. */
export function entitiesSql(query: EntitiesQuery): Sql {
  const params = new Params();
  const streams = query.stream === undefined ? undefined : [query.stream];
  const conditions = streamConditions({ ...query, streams }, params);
  if (query.cursor !== undefined) {
    const [stream, entityId] = decodeCursor(entitiesBinding(query), query.cursor, ['string', 'string']);
    const after = params.bind('String', stream);
    conditions.push(
      `stream >= ${after}`,
      `(stream > ${after} OR entity_id > ${params.bind('String', entityId)})`,
    );
  }
  return {
    query: `SELECT stream, entity_id, max(last_version), max(last_timestamp)
FROM entities
${whereClause(conditions)}
GROUP BY stream, entity_id
ORDER BY stream, entity_id
LIMIT ${params.bind('UInt64', query.limit + 1)}`,
    params: params.values,
  };
}

export function entitiesCursor(query: EntitiesQuery, last: { stream: string; entity_id: string }): string {
  return encodeCursor(entitiesBinding(query), [last.stream, last.entity_id]);
}

function entitiesBinding(query: EntitiesQuery): unknown {
  return ['entities', query.stream ?? null];
}
