import { isOneOfEvents } from './removal/lost-events.js';
import type { EventRow } from '../row-batch/event-row.js';

/**
 * Selects the events of an offset range that all tables contain. An interrupted insert can have reached only some of
 * the tables. `events` and, for events with an entity, `events_by_entity` must contain the event id, and `positions`
 * the offset. `entities` stores only the last offset of each entity. The last offset suffices because batches of a
 * partition are written in order, each until it succeeds: a stored last offset proves that all earlier events of the
 * entity are included.
 */
export const storedEventsSql = `
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

/**
 * Selects the greatest offset of each partition. An event that `positions` lacks is not stored and is written again. The
 * bitmaps of the last segments have the greatest offsets, so the others are not read.
 */
export const lastOffsetsSql = `
SELECT stream, partition, max(segment * 1048576 + bitmapMax(offsets))
FROM positions
WHERE (stream, partition, segment) IN (
  SELECT stream, partition, max(segment)
  FROM positions
  WHERE stream IN {streams:Array(String)}
    AND (stream, partition) IN arrayZip({streams:Array(String)}, {partitions:Array(UInt16)})
  GROUP BY stream, partition)
GROUP BY stream, partition`;

/**
 * Selects the offsets of events by their ids. The minmax index on `offset` and the bloom filter on `event_id` leave few
 * granules to read.
 */
export const offsetsSql = `
SELECT toString(event_id), offset
FROM events
WHERE stream = {stream:String} AND partition = {partition:UInt16} AND offset >= {from:UInt64} AND offset < {until:UInt64}
  AND event_id IN {eventIds:Array(UUID)}
GROUP BY event_id, offset
ORDER BY offset`;

/** Selects the ids of an offset range as one text, because an answer of one row is complete or an error. */
export const idsSql = `
SELECT base64Encode(arrayStringConcat(groupArray(reinterpretAsFixedString(event_id))))
FROM events
WHERE stream = {stream:String} AND partition = {partition:UInt16} AND offset >= {from:UInt64} AND offset < {until:UInt64}`;

/**
 * Selects the version of each event with one of the ids. The index on `event_id` finds the few granules that can have
 * these events.
 */
export const versionsSql = `
SELECT toString(event_id), max(version)
FROM events
WHERE stream = {stream:String} AND partition = {partition:UInt16} AND event_id IN {eventIds:Array(UUID)}
GROUP BY event_id`;

/** Counts the rows of a partition from an offset on. The minmax index on `offset` leaves few granules to read. */
export const countFromSql = `
SELECT count()
FROM events
WHERE stream = {stream:String} AND partition = {partition:UInt16} AND offset >= {from:UInt64}`;

/** The members of an `EventRow`, in the order of the columns of `eventsAtSql`. */
export const eventRowMembers = [
  'stream',
  'partition',
  'offset',
  'event_id',
  'event_type',
  'entity_id',
  'version',
  'timestamp',
  'ingested_at',
  'schema_version',
  'metadata',
  'data',
] as const satisfies (keyof EventRow)[];

/** Selects events by offset and id. */
export const eventsAtSql = `
SELECT stream, partition, offset, toString(event_id), event_type, nullIf(entity_id, ''), nullIf(version, 0),
  toUnixTimestamp64Micro(timestamp), toUnixTimestamp64Micro(ingested_at), nullIf(schema_version, 0), metadata, data
FROM events
WHERE stream = {stream:String} AND ${isOneOfEvents}
ORDER BY offset
LIMIT 1 BY offset, event_id`;
