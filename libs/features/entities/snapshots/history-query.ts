import { type ParameterizedSql, splitBySize, SqlParams, streamConditions, whereClause } from '#store';
import type {
  ScopedEntityReferenceAsOf,
  EntityHistoryRange,
  EntityHistoryEvent,
  EntityHistoryQuery,
} from './entity-snapshot.js';

/** Selects the number of stored events of an entity, and their least and greatest version. */
export function versionRangeSql(query: ScopedEntityReferenceAsOf): ParameterizedSql {
  const params = new SqlParams();
  return params.statement(
    `SELECT count(), min(version), max(version) FROM events_by_entity ${whereClause(ofEntity(query, params))}`,
  );
}

const historyColumns =
  'version, partition, offset, toUnixTimestamp64Micro(timestamp), toUnixTimestamp64Micro(ingested_at), data';

/** The `historyColumns` of an event. Times are in microseconds since 1970. */
export type EntityHistoryRow = [
  ...[version: number, partition: number, offset: number, timestamp: number, ingestedAt: number],
  data: string,
];

/**
 * Selects the events of a range of versions. ORDER BY version, which the fold needs; then newest first, so that LIMIT
 * BY keeps the newest event of each version. A version has several rows if an event was written twice and its parts
 * are not merged yet, or if an event is being erased and a later event has the same version.
 */
export function historySql(query: EntityHistoryQuery): ParameterizedSql {
  const params = new SqlParams();
  const conditions = ofEntity(query, params);
  conditions.push(
    `version > ${params.bind('UInt64', query.after)}`,
    `version <= ${params.bind('UInt64', query.upTo)}`,
  );
  return params.statement(`SELECT ${historyColumns}
FROM events_by_entity
${whereClause(conditions)}
ORDER BY version, ingested_at DESC, offset DESC
LIMIT 1 BY version`);
}

/**
 * Selects the events of many entities, each in its range of versions, in the order of `historySql` for each entity: the
 * entity's id, then the columns of an `EntityHistoryRow`.
 */
export function historiesSql(stream: string, entities: readonly EntityHistoryRange[]): ParameterizedSql {
  const params = new SqlParams();
  const { ids, perEntity } = entityParams(entities, params);
  return params.statement(`SELECT entity_id, ${historyColumns}
FROM events_by_entity
WHERE entity_id IN ${ids} AND stream = ${params.bind('String', stream)}
  AND version > ${perEntity(({ after }) => after)} AND version <= ${perEntity(({ upTo }) => upTo)}
ORDER BY entity_id, version, ingested_at DESC, offset DESC
LIMIT 1 BY entity_id, version`);
}

/** Reads a row of a history. */
export function historyEvent(row: EntityHistoryRow): EntityHistoryEvent {
  const [version, partition, offset, timestamp, ingested_at, data] = row;
  return { version, partition, offset, timestamp, ingested_at, data };
}

function ofEntity(
  { stream, entityId, asOf, ...scope }: ScopedEntityReferenceAsOf,
  params: SqlParams,
): string[] {
  const conditions = streamConditions({ ...scope, streams: [stream] }, params);
  conditions.push(`entity_id = ${params.bind('String', entityId)}`);
  if (asOf !== undefined) conditions.push(`timestamp <= ${params.time(asOf)}`);
  return conditions;
}

/**
 * Binds the ids of entities, and a number for each of them that a row's `entity_id` selects. The expressions are
 * placeholders and `transform`, which looks the number up in a hash table.
 */
export function entityParams<Entity extends { entityId: string }>(
  entities: readonly Entity[],
  params: SqlParams,
): { ids: string; perEntity: (numberOf: (entity: Entity) => number) => string } {
  const entityIds = entities.map(({ entityId }) => entityId);
  const ids = params.bind('Array(String)', entityIds);
  const perEntity = (numberOf: (entity: Entity) => number) =>
    `transform(entity_id, ${ids}, ${params.bind('Array(UInt64)', entities.map(numberOf))}, toUInt64(0))`;
  return { ids, perEntity };
}

/** Divides entities into lists whose ids are short enough for one query. */
export function* splitEntities<Entity extends { entityId: string }>(
  entities: readonly Entity[],
): Generator<Entity[]> {
  let from = 0;
  for (const ids of splitBySize(entities.map(({ entityId }) => entityId)))
    yield entities.slice(from, (from += ids.length));
}
