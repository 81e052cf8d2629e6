import type { OffsetRange, StoredIdentity } from '../store.js';
import type { Connection } from './connection.js';

/**
 * An insert that was cut off can have reached some of the tables. An event counts as stored when all of them have it:
 * `events` and, where there is an entity, `events_by_entity` hold its id, `positions` its offset. `entities` holds the
 * last offset of each entity; as a partition is written in order and each batch until it succeeds, every earlier one
 * of the entity is in there with it.
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

/** The events of a range that every table has. */
export async function stored(connection: Connection, range: OffsetRange): Promise<StoredIdentity[]> {
  const params = { ...range };
  const rows = await connection.select<[number, string]>(query, { params, purpose: 'lookup' });
  return rows.map(([offset, event_id]) => ({ offset, event_id }));
}

/** What `positions` lacks is not stored: such an event is written again. */
export async function lastStored(
  connection: Connection,
  params: { stream: string; partition: number },
): Promise<number | undefined> {
  const [row] = await connection.select<[number]>(last, { params, purpose: 'lookup' });
  return row?.[0];
}
