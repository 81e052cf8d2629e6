const ofPartition = 'stream = {stream:String} AND partition = {partition:UInt16}';
const inRange = `${ofPartition} AND offset >= {from:UInt64} AND offset < {until:UInt64}`;

/** Selects the offsets of the range that the bitmaps of a table have. */
const bitsOf = (table: string) => `
  SELECT segment * 1048576 + arrayJoin(bitmapToArray(bitmapSubsetInRange(
    groupBitmapMergeState(offsets),
    toUInt32(greatest(toInt64({from:UInt64}) - toInt64(segment) * 1048576, 0)),
    toUInt32(least({until:UInt64} - segment * 1048576, 1048576)))))
  FROM ${table}
  WHERE ${ofPartition}
    AND segment >= intDiv({from:UInt64}, 1048576) AND segment <= intDiv({until:UInt64} - 1, 1048576)
  GROUP BY segment`;

/**
 * Selects the events of which one of the two tables of events has a row, and whether each is complete by the rule of
 * `storedEventsSql`.
 */
export const eventsInSql = `
SELECT r.found_offset, toString(r.found_id),
  toUInt8(r.in_events AND r.found_offset IN (${bitsOf('positions')})
    AND (r.entity = '' OR (r.by_entity AND h.next_offset > r.found_offset)))
FROM (
  SELECT offset AS found_offset, event_id AS found_id, any(entity_id) AS entity,
    max(source = 1) AS in_events, max(source = 2) AS by_entity
  FROM (
    SELECT offset, event_id, entity_id, 1 AS source FROM events WHERE ${inRange}
    UNION ALL
    SELECT offset, event_id, entity_id, 2 AS source FROM events_by_entity WHERE ${inRange})
  GROUP BY offset, event_id) AS r
LEFT JOIN (
  SELECT entity_id, max(last_offset) + 1 AS next_offset
  FROM entities
  WHERE ${ofPartition} AND last_offset >= {from:UInt64}
    AND entity_id IN (SELECT entity_id FROM events WHERE ${inRange})
  GROUP BY entity_id) AS h ON r.entity = h.entity_id
ORDER BY r.found_offset`;

/** Selects what the store remembers of the offsets of a range; the names are those of `RememberedOffsets`. */
export const rememberedOffsetsSql = `
SELECT 'stored', *
FROM (${bitsOf('positions')})
UNION ALL
SELECT 'removed', *
FROM (${bitsOf('removed_positions')})
UNION ALL
SELECT DISTINCT 'deadLetters', offset
FROM dead_letters
WHERE source = 'materializer' AND ${inRange}`;

/** Selects the smallest offset whose event was removed: that of the first segment. */
export const firstRemovedOffsetSql = `
SELECT segment * 1048576 + bitmapMin(groupBitmapMergeState(offsets))
FROM removed_positions
WHERE ${ofPartition}
GROUP BY segment
ORDER BY segment
LIMIT 1`;

const ofEntities = `entity_id IN {entityIds:Array(String)} AND ${ofPartition}`;

/**
 * Selects the versions of entities in and around an offset range. The tables are searched in parts: `events` by offset,
 * because entities have no index there, and the others by entity.
 */
export const knownVersionsSql = `
SELECT entity_id, offset, version, toString(event_id)
FROM events
WHERE ${inRange} AND entity_id IN {entityIds:Array(String)}
UNION ALL
SELECT entity_id, offset, version, toString(event_id)
FROM events_by_entity
WHERE ${ofEntities} AND offset >= {from:UInt64} AND offset < {until:UInt64}
UNION ALL
SELECT entity_id, max(offset), argMax(version, offset), toString(argMax(event_id, offset))
FROM events_by_entity
WHERE ${ofEntities} AND offset < {from:UInt64}
GROUP BY entity_id
UNION ALL
SELECT entity_id, min(offset), argMin(version, offset), toString(argMin(event_id, offset))
FROM events_by_entity
WHERE ${ofEntities} AND offset >= {until:UInt64}
GROUP BY entity_id
UNION ALL
SELECT entity_id, max(last_offset), max(last_version), ''
FROM entities
WHERE ${ofEntities}
GROUP BY entity_id`;
