import { streamNameOf } from '#event';
import { decodeCursor, encodeCursor } from '../cursor.js';
import type {
  EntitySummariesQuery,
  EntitySummary,
  StreamSummariesQuery,
  StreamSummary,
  ScopedEntityReference,
} from '../store.js';
import { whereClause } from './connection/event-conditions.js';
import { SqlParams, type ParameterizedSql } from './connection/sql-params.js';
import { streamConditions } from './connection/stream-scope.js';
import { containsEntityId } from './removal/erase-dead-letters.js';

/** A row of the result of `streamsSql`. `firstInDoubt` and `lastInDoubt` are 1 if the timestamp may be that of a removed event. */
export type StreamSummaryRow = [
  stream: string,
  events: number,
  first: number,
  last: number,
  firstInDoubt: number,
  lastInDoubt: number,
];

/**
 * Selects the number of existing offsets for each segment: the stored offsets minus the removed ones. Offsets
 * are counted as bits, so a repeated row counts once, and an offset removed twice is subtracted once.
 */
export function existingOffsetsSql(conditions: readonly string[]): string {
  const where = whereClause(conditions);
  return `
SELECT stream,
  bitmapAndnotCardinality(groupBitmapMergeStateIf(offsets, NOT removed), groupBitmapMergeStateIf(offsets, removed)) AS kept,
  max(removed) AS touched,
  minIf(first_timestamp, NOT removed) AS first,
  maxIf(last_timestamp, NOT removed) AS last
FROM (
  SELECT stream, partition, segment, offsets, first_timestamp, last_timestamp, false AS removed FROM positions ${where}
  UNION ALL
  SELECT stream, partition, segment, offsets, 0, 0, true FROM removed_positions ${where})
GROUP BY stream, partition, segment
HAVING kept > 0`;
}

export function streamsSql(query: StreamSummariesQuery): ParameterizedSql {
  const params = new SqlParams();
  return params.statement(`SELECT stream, sum(kept), min(first), max(last), argMin(touched, first), argMax(touched, last)
FROM (${existingOffsetsSql(streamConditions(query, params))})
GROUP BY stream
ORDER BY stream`);
}

/** Names the first or the last event of a stream, whose timestamp is looked up. */
export interface FirstOrLastTimestampQuery {
  stream: string;
  end: 'first' | 'last';
}

/**
 * Selects the timestamps of the first or last events of streams from `events`. Each SELECT reads one stream
 * in table order and stops at the first row.
 */
export function streamBoundariesSql(ends: readonly FirstOrLastTimestampQuery[]): ParameterizedSql {
  const params = new SqlParams();
  const selects = ends.map(({ stream, end }, i) => {
    const direction = end === 'first' ? 'ASC' : 'DESC';
    return `(SELECT ${i} AS i, toUnixTimestamp64Micro(timestamp) AS time FROM events
WHERE stream = ${params.bind('String', stream)}
ORDER BY timestamp ${direction} LIMIT 1)`;
  });
  return params.statement(selects.join('\nUNION ALL\n'));
}

/**
 * A row of the result of `entitiesSql`: an entity with its latest version and the timestamp of its last event, in
 * microseconds since 1970.
 */
export type EntitySummaryRow = [stream: string, entityId: string, version: number, last: number];

/** ORDER BY stream, entity_id: the table's order, so ClickHouse reads only the rows of the page. */
export function entitiesSql(query: EntitySummariesQuery): ParameterizedSql {
  const params = new SqlParams();
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
  return params.statement(`SELECT stream, entity_id, max(last_version), max(last_timestamp)
FROM entities
${whereClause(conditions)}
GROUP BY stream, entity_id
ORDER BY stream, entity_id
LIMIT ${params.bind('UInt64', query.limit + 1)}`);
}

export function entitySummary([stream, entity_id, version, last_timestamp]: EntitySummaryRow): EntitySummary {
  return { stream: streamNameOf(stream), entity_id, version, last_timestamp };
}

export function entitiesCursor(query: EntitySummariesQuery, [stream, entityId]: EntitySummaryRow): string {
  return encodeCursor(entitiesBinding(query), [stream, entityId]);
}

function entitiesBinding(query: EntitySummariesQuery): unknown {
  return ['entities', query.stream ?? null];
}

/** Maximum number of first and last events that one statement looks up. */
const maxBoundaryEventsPerQuery = 50;

/**
 * Returns each stream with its number of events and its first and last timestamp. The timestamps come from
 * `positions`. If events were removed from the same segment as the first or last event, the timestamp is
 * looked up in `events`.
 */
export async function streamSummaries(
  query: StreamSummariesQuery,
  select: <Row extends readonly unknown[]>(sql: ParameterizedSql) => Promise<Row[]>,
): Promise<StreamSummary[]> {
  const rows = await select<StreamSummaryRow>(streamsSql(query));
  const doubts = rows.flatMap(([stream, , , , first, last]): FirstOrLastTimestampQuery[] => [
    ...(first ? [{ stream, end: 'first' } as const] : []),
    ...(last ? [{ stream, end: 'last' } as const] : []),
  ]);
  const times = new Map<string, number>();
  for (let i = 0; i < doubts.length; i += maxBoundaryEventsPerQuery) {
    const asked = doubts.slice(i, i + maxBoundaryEventsPerQuery);
    for (const [index, time] of await select<[number, number]>(streamBoundariesSql(asked))) {
      times.set(keyOf(asked[index] as FirstOrLastTimestampQuery), time);
    }
  }
  return rows.map(([stream, events, first, last]) => ({
    stream: streamNameOf(stream),
    events,
    first_timestamp: times.get(keyOf({ stream, end: 'first' })) ?? first,
    last_timestamp: times.get(keyOf({ stream, end: 'last' })) ?? last,
  }));
}

function keyOf({ stream, end }: FirstOrLastTimestampQuery): string {
  return `${end}/${stream}`;
}

/**
 * Selects the names of those of the tables `entities`, `events_by_entity` and `dead_letters` that contain data of the
 * entity.
 */
export function erasableDataSql({ stream, entityId, ...scope }: ScopedEntityReference): ParameterizedSql {
  const params = new SqlParams();
  const ofStream = streamConditions({ ...scope, streams: [stream] }, params);
  const entity = params.bind('String', entityId);
  const inDeadLetter = `(JSONExtractString(event, 'entity_id') = ${entity} OR ${containsEntityId})`;
  const one = (table: string, condition: string) =>
    `(SELECT '${table}' FROM ${table} ${whereClause([...ofStream, condition])} LIMIT 1)`;
  const selects = [
    one('entities', `entity_id = ${entity}`),
    one('events_by_entity', `entity_id = ${entity}`),
    one('dead_letters', inDeadLetter),
  ];
  return {
    query: selects.join('\nUNION ALL\n'),
    params: { ...params.values, literal: JSON.stringify(entityId) },
  };
}
