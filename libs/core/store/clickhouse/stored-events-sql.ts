import { isOneOfEvents } from './removal/lost-events.js';
import type { EventRow } from '../row-batch/event-row.js';

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
