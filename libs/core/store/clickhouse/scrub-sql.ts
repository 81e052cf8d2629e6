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

/** Number of offsets of a bucket of `unequalBucketsSql`. */
export const bucketOffsets = 4096;

/** Digest of the events of each bucket. A row that was written twice counts once, before and after merges. */
const digests = (table: string) => `
  SELECT intDiv(offset, ${bucketOffsets}) AS bucket, sum(DISTINCT cityHash64(offset, event_id)) AS digest
  FROM ${table}
  WHERE ${inRange} AND entity_id != ''
  GROUP BY bucket`;

/** Selects the buckets in which `events` and `events_by_entity` do not have the same events of entities. */
export const unequalBucketsSql = `
SELECT bucket
FROM (${digests('events')} UNION ALL ${digests('events_by_entity')})
GROUP BY bucket
HAVING count() < 2 OR min(digest) != max(digest)
ORDER BY bucket`;

const rowsOf = (table: string, source: number) =>
  `SELECT offset, event_id, entity_id, ${source} AS source FROM ${table} WHERE ${inRange}`;

const bothTables = `${rowsOf('events', 1)} UNION ALL ${rowsOf('events_by_entity', 2)}`;

const eventsIn = (rows: string, byEntity: string) => `
SELECT r.found_offset, toString(r.found_id),
  toUInt8(r.in_events AND r.found_offset IN (${bitsOf('positions')})
    AND (r.entity = '' OR (r.by_entity AND h.next_offset > r.found_offset)))
FROM (
  SELECT offset AS found_offset, event_id AS found_id, any(entity_id) AS entity,
    max(source = 1) AS in_events, ${byEntity} AS by_entity
  FROM (${rows})
  GROUP BY offset, event_id) AS r
LEFT JOIN (
  SELECT entity_id, max(last_offset) + 1 AS next_offset
  FROM entities
  WHERE ${ofPartition} AND last_offset >= {from:UInt64}
    AND entity_id IN (SELECT entity_id FROM events WHERE ${inRange})
  GROUP BY entity_id) AS h ON r.entity = h.entity_id
ORDER BY r.found_offset`;

/**
 * Selects the events of which one of the two tables of events has a row, and whether each is complete. An interrupted insert can
 * have reached only some of the tables. `events` and, for events with an entity, `events_by_entity` must contain the event id, and
 * `positions` the offset. `entities` stores only the last offset of each entity. The last offset suffices because batches of a
 * partition are written in order, each until it succeeds: a stored last offset proves that all earlier events of the
 * entity are included.
 */
export const eventsInSql = eventsIn(bothTables, 'max(source = 2)');

/** Like `eventsInSql`, if both tables have the same events of entities. */
export const eventsInEqualTablesSql = eventsIn(rowsOf('events', 1), '1');

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
