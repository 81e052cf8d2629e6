import type { OffsetRange, StoredEventId } from '../store.js';
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

const last = `
SELECT segment * 1048576 + bitmapMax(groupBitmapMergeState(offsets))
FROM positions
WHERE stream = {stream:String} AND partition = {partition:UInt16}
GROUP BY segment
ORDER BY segment DESC
LIMIT 1`;

/** Implements EventWriter.storedEvents: returns the events of an offset range that all tables contain. */
export async function storedEvents(
  connection: StoreClickHouseClient,
  range: OffsetRange,
): Promise<StoredEventId[]> {
  const params = { ...range };
  const rows = await connection.select<[number, string]>(query, { params, purpose: 'lookup' });
  return rows.map(([offset, event_id]) => ({ offset, event_id }));
}

/**
 * Returns the greatest offset in `positions`. An event that `positions` lacks is not stored and is written
 * again.
 */
export async function lastStoredOffset(
  connection: StoreClickHouseClient,
  params: { stream: string; partition: number },
): Promise<number | undefined> {
  const [row] = await connection.select<[number]>(last, { params, purpose: 'lookup' });
  return row?.[0];
}
