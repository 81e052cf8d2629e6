import { decodeCursor, encodeCursor } from '../../cursor.js';
import type { NearestSnapshotQuery, SnapshotReason, SnapshotsQuery } from '../../snapshot-store.js';
import type { Sql } from '../event-query.js';
import { whereClause } from '../filter-to-sql.js';
import { Params } from '../params.js';
import { streamConditions } from '../stream-scope.js';

/** A snapshot without its state. `counts` is 1 when both its events are stored. */
export type SelectedSnapshot = [
  stream: string,
  entityId: string,
  version: number,
  partition: number,
  offset: number,
  timestamp: number,
  ingestedAt: number,
  firstPartition: number,
  firstOffset: number,
  firstTimestamp: number,
  firstIngestedAt: number,
  latestTimestamp: number,
  createdAt: number,
  reason: SnapshotReason,
  stateBytes: number,
  counts: number,
];

const columns = `stream, entity_id, version, partition, offset, timestamp, ingested_at, first_partition, first_offset,
  first_timestamp, first_ingested_at, latest_timestamp, created_at, reason, state_bytes`;

/** The columns of a snapshot that say which of its events, and those of the events that they are compared with. */
const lastPlace = `entity_id, stream, fromUnixTimestamp64Micro(timestamp, 'UTC'), partition, offset`;
const firstPlace = `entity_id, stream, fromUnixTimestamp64Micro(first_timestamp, 'UTC'), first_partition, first_offset`;
const eventPlace = 'e.entity_id, e.stream, e.timestamp, e.partition, e.offset';

/**
 * Newest first: ORDER BY created_at; those that were made at once by version, and then whatever tells them apart. The
 * states are left out: what is sorted and looked up here is small.
 */
export function snapshotPageSql(query: SnapshotsQuery): Sql {
  const params = new Params();
  const conditions = listed(query, params);
  if (query.cursor !== undefined) conditions.push(afterCursor(query, query.cursor, params));
  return pageSql(conditions, params, {
    order: 'created_at DESC, version DESC, stream DESC, entity_id DESC, offset DESC, ingested_at DESC',
    limit: query.limit + 1,
  });
}

export function snapshotTotalSql(query: SnapshotsQuery): Sql {
  const params = new Params();
  return {
    query: `SELECT count() FROM snapshots FINAL ${whereClause(listed(query, params))}`,
    params: params.values,
  };
}

/** The greatest version first. */
export function nearestSnapshotSql(query: NearestSnapshotQuery): Sql {
  const { stream, entityId, upTo, asOf, ...permitted } = query;
  const params = new Params();
  const conditions = listed({ ...permitted, stream, entityId }, params);
  conditions.push(`version <= ${params.bind('UInt64', upTo)}`);
  if (asOf !== undefined) conditions.push(`latest_timestamp <= ${params.bind('Int64', asOf)}`);
  return pageSql(conditions, params, { order: 'version DESC, ingested_at DESC, offset DESC', limit: 1 });
}

/** Those of one entity, the greatest versions first: for the removal of what does not count. */
export function entitySnapshotsSql(entity: { stream: string; entityId: string }, limit: number): Sql {
  const params = new Params();
  const conditions = [
    `stream = ${params.bind('String', entity.stream)}`,
    `entity_id = ${params.bind('String', entity.entityId)}`,
  ];
  return pageSql(conditions, params, { order: 'version DESC, ingested_at DESC, offset DESC', limit });
}

export interface SnapshotKey {
  stream: string;
  entity_id: string;
  version: number;
  last: { partition: number; offset: number; ingested_at: number };
}

/** The state of one snapshot, by the whole key of its row. */
export function stateSql({ stream, entity_id, version, last }: SnapshotKey): Sql {
  const params = new Params();
  return {
    query: `SELECT state FROM snapshots FINAL
WHERE entity_id = ${params.bind('String', entity_id)} AND stream = ${params.bind('String', stream)}
  AND version = ${params.bind('UInt64', version)} AND partition = ${params.bind('UInt16', last.partition)}
  AND offset = ${params.bind('UInt64', last.offset)} AND ingested_at = ${params.bind('Int64', last.ingested_at)}`,
    params: params.values,
  };
}

/** Events are looked up by their whole key, those of the page alone. */
function pageSql(
  conditions: readonly string[],
  params: Params,
  { order, limit }: { order: string; limit: number },
): Sql {
  const stored = (place: string, ingestedAt: string) => `(${place}, ${ingestedAt}) IN (
    SELECT ${eventPlace}, toUnixTimestamp64Micro(e.ingested_at) FROM events_by_entity AS e
    WHERE (${eventPlace}) IN (SELECT ${place} FROM page))`;
  return {
    query: `WITH page AS (
  SELECT ${columns}
  FROM snapshots FINAL
  ${whereClause(conditions)}
  ORDER BY ${order}
  LIMIT ${params.bind('UInt64', limit)})
SELECT ${columns},
  ${stored(lastPlace, 'ingested_at')} AND ${stored(firstPlace, 'first_ingested_at')}
FROM page
ORDER BY ${order}`,
    params: params.values,
  };
}

function listed({ stream, entityId, ...permitted }: SnapshotsQuery | Omit<SnapshotsQuery, 'limit'>, params: Params): string[] {
  const streams = stream === undefined ? undefined : [stream];
  const conditions = streamConditions({ ...permitted, streams }, params);
  if (entityId !== undefined) conditions.push(`entity_id = ${params.bind('String', entityId)}`);
  return conditions;
}

export function snapshotsCursor(query: SnapshotsQuery, last: SelectedSnapshot): string {
  const [stream, entityId, version, , offset, , ingestedAt] = last;
  return encodeCursor(binding(query), [last[12], version, stream, entityId, offset, ingestedAt]);
}

function afterCursor(query: SnapshotsQuery, cursor: string, params: Params): string {
  const types = ['number', 'number', 'string', 'string', 'number', 'number'] as const;
  const position = decodeCursor(binding(query), cursor, types);
  const sqlTypes = ['Int64', 'UInt64', 'String', 'String', 'UInt64', 'Int64'];
  const values = position.map((value, i) => params.bind(sqlTypes[i] as string, value));
  return `(created_at, version, stream, entity_id, offset, ingested_at) < (${values.join(', ')})`;
}

function binding({ stream, entityId }: SnapshotsQuery): unknown {
  return ['snapshots', stream ?? null, entityId ?? null];
}
