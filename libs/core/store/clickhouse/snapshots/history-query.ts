import type {
  ScopedEntityReferenceAsOf,
  EntityHistoryRange,
  EntityHistoryEvent,
  EntityHistoryQuery,
} from '../../entity-snapshot-store.js';
import type { ParameterizedSql } from '../event-query.js';
import { entityParams } from './entity-params.js';
import { whereClause } from '../filter-to-sql.js';
import { SqlParams } from '../sql-params.js';
import { streamConditions } from '../stream-scope.js';

/** A row of the result of `versionRangeSql`: number of events, least and greatest version. */
export type EntityStoredVersionRangeRow = [events: number, first: number, last: number];

export function versionRangeSql(query: ScopedEntityReferenceAsOf): ParameterizedSql {
  const params = new SqlParams();
  return {
    query: `SELECT count(), min(version), max(version) FROM events_by_entity ${whereClause(ofEntity(query, params))}`,
    params: params.values,
  };
}

/** A row of the result of `historySql`: one event of an entity. Times are in microseconds since 1970. */
export type EntityHistoryRow = [
  version: number,
  partition: number,
  offset: number,
  timestamp: number,
  ingestedAt: number,
  data: string,
];

/**
 * Selects the events of a range of versions. ORDER BY version, which the fold needs; then newest first, so
 * that LIMIT BY keeps the newest event of each version. A version has several rows if an event was written
 * twice and its parts are not merged yet, or if an event is being erased and a later event has the same
 * version.
 */
export function historySql(query: EntityHistoryQuery): ParameterizedSql {
  const params = new SqlParams();
  const conditions = ofEntity(query, params);
  conditions.push(
    `version > ${params.bind('UInt64', query.after)}`,
    `version <= ${params.bind('UInt64', query.upTo)}`,
  );
  return {
    query: `SELECT version, partition, offset, toUnixTimestamp64Micro(timestamp), toUnixTimestamp64Micro(ingested_at), data
FROM events_by_entity
${whereClause(conditions)}
ORDER BY version, ingested_at DESC, offset DESC
LIMIT 1 BY version`,
    params: params.values,
  };
}

/** A row of the result of `historiesSql`: the entity, then its event as in `EntityHistoryRow`. */
export type EntitiesHistoryRow = [entityId: string, ...event: EntityHistoryRow];

/** Selects the events of many entities, each in its range of versions, in the order of `historySql` for each entity. */
export function historiesSql(stream: string, entities: readonly EntityHistoryRange[]): ParameterizedSql {
  const params = new SqlParams();
  const { ids, perEntity } = entityParams(entities, params);
  return {
    query: `SELECT entity_id, version, partition, offset, toUnixTimestamp64Micro(timestamp), toUnixTimestamp64Micro(ingested_at), data
FROM events_by_entity
WHERE entity_id IN ${ids} AND stream = ${params.bind('String', stream)}
  AND version > ${perEntity(({ after }) => after)} AND version <= ${perEntity(({ upTo }) => upTo)}
ORDER BY entity_id, version, ingested_at DESC, offset DESC
LIMIT 1 BY entity_id, version`,
    params: params.values,
  };
}

export function historyEvent(row: EntityHistoryRow): EntityHistoryEvent {
  const [version, partition, offset, timestamp, ingested_at, data] = row;
  return { version, partition, offset, timestamp, ingested_at, data };
}

function ofEntity(
  { stream, entityId, asOf, ...permitted }: ScopedEntityReferenceAsOf,
  params: SqlParams,
): string[] {
  const conditions = streamConditions({ ...permitted, streams: [stream] }, params);
  conditions.push(`entity_id = ${params.bind('String', entityId)}`);
  if (asOf !== undefined) conditions.push(`timestamp <= ${params.time(asOf)}`);
  return conditions;
}
