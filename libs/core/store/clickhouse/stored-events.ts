import type { OffsetRange, OffsetAndEventId } from '../store.js';
import { longQuerySettings } from './split-by-size.js';
import type { StoreClickHouseClient } from './store-clickhouse-client.js';

/**
 * Selects the events of an offset range that all tables contain. An interrupted insert can have reached only some of
 * the tables. `events` and, for events with an entity, `events_by_entity` must contain the event id, and `positions`
 * the offset. `entities` stores only the last offset of each entity. The last offset suffices because batches of a
 * partition are written in order, each until it succeeds: a stored last offset proves that all earlier events of the
 * entity are included.
 */
const query = `
SELECT e.offset, toString(e.event_id)
FROM events AS e
LEFT JOIN (
  SELECT entity_id, max(last_offset) + 1 AS next_offset
  FROM entities
  WHERE stream = {stream:String} AND partition = {partition:UInt16} AND last_offset >= {from:UInt64}
    AND entity_id IN (
      SELECT entity_id
      FROM events
      WHERE stream = {stream:String} AND partition = {partition:UInt16}
        AND offset >= {from:UInt64} AND offset < {until:UInt64})
  GROUP BY entity_id) AS h ON e.entity_id = h.entity_id
WHERE e.stream = {stream:String} AND e.partition = {partition:UInt16}
  AND e.offset >= {from:UInt64} AND e.offset < {until:UInt64}
  AND e.offset IN (
    SELECT offset
    FROM (
      SELECT segment * 1048576 + arrayJoin(bitmapToArray(groupBitmapMergeState(offsets))) AS offset
      FROM positions
      WHERE stream = {stream:String} AND partition = {partition:UInt16}
        AND segment >= intDiv({from:UInt64}, 1048576) AND segment <= intDiv({until:UInt64}, 1048576)
      GROUP BY segment)
    WHERE offset >= {from:UInt64} AND offset < {until:UInt64})
  AND (e.entity_id = '' OR (h.next_offset > e.offset AND (e.offset, e.event_id) IN (
    SELECT offset, event_id
    FROM events_by_entity
    WHERE stream = {stream:String} AND partition = {partition:UInt16}
      AND offset >= {from:UInt64} AND offset < {until:UInt64})))
GROUP BY e.offset, e.event_id
ORDER BY e.offset`;

/** The bitmaps of the last segments have the greatest offsets, so the others are not read. */
const last = `
SELECT stream, partition, max(segment * 1048576 + bitmapMax(offsets))
FROM positions
WHERE (stream, partition, segment) IN (
  SELECT stream, partition, max(segment)
  FROM positions
  WHERE stream IN {streams:Array(String)}
    AND (stream, partition) IN arrayZip({streams:Array(String)}, {partitions:Array(UInt16)})
  GROUP BY stream, partition)
GROUP BY stream, partition`;

/** Implements EventWriter.storedEvents: returns the events of an offset range that all tables contain. */
export async function storedEvents(
  connection: StoreClickHouseClient,
  range: OffsetRange,
): Promise<OffsetAndEventId[]> {
  const params = { ...range };
  const rows = await connection.select<[number, string]>(query, { params, purpose: 'lookup' });
  return rows.map(([offset, event_id]) => ({ offset, event_id }));
}

/** A partition of a stream, by the stream's id. */
export interface StreamPartition {
  stream: string;
  partition: number;
}

/** Maximum number of partitions of one call of `lastStoredOffsets`. */
export const mostPartitionsOfLookup = 500;

/**
 * Returns the greatest offset of each partition in `positions`, in the order of the partitions; undefined for a
 * partition without a stored event. An event that `positions` lacks is not stored and is written again.
 */
export async function lastStoredOffsets(
  connection: StoreClickHouseClient,
  wanted: readonly StreamPartition[],
): Promise<(number | undefined)[]> {
  const params = {
    streams: wanted.map(({ stream }) => stream),
    partitions: wanted.map(({ partition }) => partition),
  };
  const rows = await connection.select<[string, number, number]>(last, {
    params,
    settings: longQuerySettings,
    purpose: 'lookup',
  });
  const found = new Map(rows.map(([stream, partition, offset]) => [`${partition}/${stream}`, offset]));
  return wanted.map(({ stream, partition }) => found.get(`${partition}/${stream}`));
}
