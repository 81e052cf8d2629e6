import {
  decodeCursor,
  encodeCursor,
  type ParameterizedSql,
  SqlParams,
  streamConditions,
  TupleParam,
  whereClause,
} from '#store';
import type {
  EntitySnapshot,
  EntityHistoryRange,
  EventOffsetAndTimestamps,
  NearestEntitySnapshotQuery,
  EntitySnapshotsQuery,
} from './entity-snapshot.js';
import { entityParams } from './history-query.js';
import { metadataColumns, type EntitySnapshotMetadata } from './snapshot-rows.js';

/** The columns of a snapshot that identify its first and last event, and the matching columns of the event. */
const lastEventKey = `entity_id, stream, fromUnixTimestamp64Micro(timestamp, 'UTC'), partition, offset`;
const firstEventKey = `entity_id, stream, fromUnixTimestamp64Micro(first_timestamp, 'UTC'), first_partition, first_offset`;
const eventKey = 'e.entity_id, e.stream, e.timestamp, e.partition, e.offset';

/** The order of one entity's snapshots: greatest version first. */
const byVersion = 'version DESC, ingested_at DESC, offset DESC';

/**
 * Selects one page of snapshots, newest first. ORDER BY created_at, then version, then the rest of the key.
 * The states are not selected: the sorted and joined rows are small.
 */
export function snapshotPageSql(query: EntitySnapshotsQuery): ParameterizedSql {
  const params = new SqlParams();
  const conditions = matching(query, params);
  if (query.cursor !== undefined) conditions.push(afterCursor(query, query.cursor, params));
  return metadataSql(conditions, params, {
    order: 'created_at DESC, version DESC, stream DESC, entity_id DESC, offset DESC, ingested_at DESC',
    limit: query.limit + 1,
  });
}

/** Counts the stored snapshots that match a query, whatever the page. */
export function snapshotTotalSql(query: EntitySnapshotsQuery): ParameterizedSql {
  const params = new SqlParams();
  return params.statement(`SELECT count() FROM snapshots FINAL ${whereClause(matching(query, params))}`);
}

/**
 * Selects the snapshot with the greatest version, with its state. FINAL is not needed: a repeated row of the snapshot
 * has the same values. ClickHouse reads at most one granule, which contains at most a megabyte of states.
 */
export function nearestSnapshotSql(query: NearestEntitySnapshotQuery): ParameterizedSql {
  const params = new SqlParams();
  const conditions = matching(query, params);
  conditions.push(`version <= ${params.bind('UInt64', query.upTo)}`);
  if (query.asOf !== undefined) conditions.push(`latest_timestamp <= ${params.bind('Int64', query.asOf)}`);
  return params.statement(
    `SELECT ${metadataColumns}, 0, state FROM snapshots ${whereClause(conditions)} ORDER BY ${byVersion} LIMIT 1`,
  );
}

/** Selects for each entity the snapshot with the greatest version up to `upTo`, without its state. */
export function nearestSnapshotsSql(
  stream: string,
  entities: readonly Pick<EntityHistoryRange, 'entityId' | 'upTo'>[],
): ParameterizedSql {
  const params = new SqlParams();
  const { ids, perEntity } = entityParams(entities, params);
  return params.statement(`SELECT ${metadataColumns}, 0 FROM snapshots
WHERE entity_id IN ${ids} AND stream = ${params.bind('String', stream)} AND version <= ${perEntity(({ upTo }) => upTo)}
ORDER BY entity_id, ${byVersion}
LIMIT 1 BY entity_id`);
}

/**
 * Selects the stored events among the first and last events of snapshots of one stream: entity, partition, offset,
 * timestamp and time of ingestion of each.
 */
export function storedEventKeysSql(
  stream: string,
  snapshots: readonly (Pick<EntitySnapshot, 'first' | 'last'> & { entityId: string })[],
): ParameterizedSql {
  const params = new SqlParams();
  const { ids } = entityParams(snapshots, params);
  const keys = snapshots
    .flatMap(({ first, last }) => [first, last])
    .map((key) => new TupleParam([key.partition, key.offset, key.timestamp, key.ingested_at]));
  const key = 'partition, offset, toUnixTimestamp64Micro(timestamp), toUnixTimestamp64Micro(ingested_at)';
  return params.statement(`SELECT entity_id, ${key}
FROM events_by_entity
WHERE entity_id IN ${ids} AND stream = ${params.bind('String', stream)}
  AND (${key}) IN ${params.bind('Array(Tuple(UInt16, UInt64, Int64, Int64))', keys)}`);
}

/**
 * A partition times this number plus an offset is one number for both, which is looked up faster than a tuple. The
 * number is exact in JavaScript for 512 partitions and 17 trillion offsets.
 */
const partitionStep = 2 ** 44;

/**
 * Selects partition, offset, timestamp, time of ingestion and version of the stream's events at these offsets. The
 * condition on the timestamps uses the primary key, the condition on the range of offsets an index.
 */
export function versionsAtSql(stream: string, keys: readonly EventOffsetAndTimestamps[]): ParameterizedSql {
  const params = new SqlParams();
  let [since, until, from, to] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const { timestamp, offset } of keys) {
    [since, until] = [Math.min(since, timestamp), Math.max(until, timestamp)];
    [from, to] = [Math.min(from, offset), Math.max(to, offset)];
  }
  const positions = keys.map(({ partition, offset }) => partition * partitionStep + offset);
  return params.statement(`SELECT partition, offset, toUnixTimestamp64Micro(timestamp), toUnixTimestamp64Micro(ingested_at), version
FROM events
WHERE stream = ${params.bind('String', stream)}
  AND timestamp >= ${params.time(since)} AND timestamp <= ${params.time(until)}
  AND offset >= ${params.bind('UInt64', from)} AND offset <= ${params.bind('UInt64', to)}
  AND partition * ${partitionStep} + offset IN ${params.bind('Array(UInt64)', positions)}`);
}

/** Selects the number of removed events of each partition of a stream. An offset that is removed twice counts once. */
export function removedEventsSql(stream: string): ParameterizedSql {
  const params = new SqlParams();
  return params.statement(`SELECT partition, sum(removed)
FROM (
  SELECT partition, groupBitmapMerge(offsets) AS removed
  FROM removed_positions
  WHERE stream = ${params.bind('String', stream)}
  GROUP BY partition, segment)
GROUP BY partition`);
}

/** Selects whether the first and the last event of a snapshot are both stored. */
export function areEventsStoredSql(snapshot: EntitySnapshotMetadata): ParameterizedSql {
  const { entity_id, stream, first, last } = snapshot;
  const params = new SqlParams();
  const entity = `entity_id = ${params.bind('String', entity_id)} AND stream = ${params.bind('String', stream)}`;
  const [isFirst, isLast] = [first, last].map((key) => {
    const [partition, offset] = [params.bind('UInt16', key.partition), params.bind('UInt64', key.offset)];
    const times = `timestamp = ${params.time(key.timestamp)} AND ingested_at = ${params.time(key.ingested_at)}`;
    return `(${times} AND partition = ${partition} AND offset = ${offset})`;
  });
  return params.statement(`SELECT countIf(${isFirst}) > 0 AND countIf(${isLast}) > 0
FROM events_by_entity
WHERE ${entity} AND (${isFirst} OR ${isLast})`);
}

/**
 * Selects an entity's snapshots without their states, greatest version first.
 * @param page.below Only snapshots of versions below this one.
 */
export function snapshotsOfEntitySql(
  query: Pick<NearestEntitySnapshotQuery, 'access' | 'stream' | 'entityId'>,
  { below, limit }: { below: number; limit: number },
): ParameterizedSql {
  const params = new SqlParams();
  const conditions = [...matching(query, params), `version < ${params.bind('UInt64', below)}`];
  return metadataSql(conditions, params, { order: byVersion, limit });
}

/** Selects the states of snapshots by their full keys, and returns each key with its state. */
export function statesSql(snapshots: readonly EntitySnapshotMetadata[]): ParameterizedSql {
  const params = new SqlParams();
  const keys = snapshots.map((snapshot) => new TupleParam(stateKeyOf(snapshot)));
  const type = 'Array(Tuple(String, String, UInt64, UInt16, UInt64, Int64))';
  return params.statement(
    `SELECT ${stateKey}, state FROM snapshots FINAL WHERE (${stateKey}) IN ${params.bind(type, keys)}`,
  );
}

const stateKey = 'entity_id, stream, version, partition, offset, ingested_at';

/** Returns the full key of a snapshot, as `statesSql` selects it. */
export function stateKeyOf(snapshot: EntitySnapshotMetadata): (string | number)[] {
  const { entity_id, stream, version, last } = snapshot;
  return [entity_id, stream, version, last.partition, last.offset, last.ingested_at];
}

/**
 * Selects snapshots without their states, and whether their first and last events are stored. Only the events
 * of the page's snapshots are looked up, by their full keys.
 */
function metadataSql(
  conditions: readonly string[],
  params: SqlParams,
  { order, limit }: { order: string; limit: number },
): ParameterizedSql {
  const isStored = (key: string, ingestedAt: string) => `(${key}, ${ingestedAt}) IN (
    SELECT ${eventKey}, toUnixTimestamp64Micro(e.ingested_at) FROM events_by_entity AS e
    WHERE (${eventKey}) IN (SELECT ${key} FROM page))`;
  return params.statement(`WITH page AS (
  SELECT ${metadataColumns}
  FROM snapshots FINAL
  ${whereClause(conditions)}
  ORDER BY ${order}
  LIMIT ${params.bind('UInt64', limit)})
SELECT ${metadataColumns},
  ${isStored(lastEventKey, 'ingested_at')} AND ${isStored(firstEventKey, 'first_ingested_at')}
FROM page
ORDER BY ${order}`);
}

function matching(
  query: Pick<EntitySnapshotsQuery, 'stream' | 'entityId' | 'access' | 'hidden'>,
  params: SqlParams,
): string[] {
  const { stream, entityId, access, hidden } = query;
  const streams = stream === undefined ? undefined : [stream];
  const conditions = streamConditions({ access, hidden, streams }, params);
  if (entityId !== undefined) conditions.push(`entity_id = ${params.bind('String', entityId)}`);
  return conditions;
}

/** Returns the cursor of the page of snapshots after this snapshot. */
export function snapshotsCursor(query: EntitySnapshotsQuery, snapshot: EntitySnapshotMetadata): string {
  const { created_at, version, stream, entity_id, last } = snapshot;
  const position = [created_at, version, stream, entity_id, last.offset, last.ingested_at];
  return encodeCursor(binding(query), position);
}

function afterCursor(query: EntitySnapshotsQuery, cursor: string, params: SqlParams): string {
  const types = ['number', 'number', 'string', 'string', 'number', 'number'] as const;
  const position = decodeCursor(binding(query), cursor, types);
  const sqlTypes = ['Int64', 'UInt64', 'String', 'String', 'UInt64', 'Int64'];
  const values = position.map((value, i) => params.bind(sqlTypes[i] as string, value));
  return `(created_at, version, stream, entity_id, offset, ingested_at) < (${values.join(', ')})`;
}

function binding({ stream, entityId }: EntitySnapshotsQuery): unknown {
  return ['snapshots', stream ?? null, entityId ?? null];
}
