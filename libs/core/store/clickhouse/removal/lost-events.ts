import { randomUUID } from 'node:crypto';
import { entityHash, streamNameOf } from '#event';
import type { EventRemover } from '../../event-remover.js';
import { maxEventsOfPartition, type EventsOfPartition } from '../../log-order.js';
import { deleteSettings } from '../connection/settings.js';
import { splitBySize } from '../connection/split-by-size.js';
import type { RowRemover } from './row-remover.js';

/** SQL condition: the row is one of the events of `paramsOfEvents`. */
export const isOneOfEvents = `partition = {partition:UInt16}
  AND offset >= arrayMin({offsets:Array(UInt64)}) AND offset <= arrayMax({offsets:Array(UInt64)})
  AND (offset, event_id) IN arrayZip({offsets:Array(UInt64)}, {eventIds:Array(UUID)})`;

/** Returns the parameters of `isOneOfEvents`, and `stream`. @throws RangeError for more than `maxEventsOfPartition` */
export function paramsOfEvents({ stream, partition, events }: EventsOfPartition): Record<string, unknown> {
  if (events.length > maxEventsOfPartition)
    throw new RangeError(`at most ${maxEventsOfPartition} events at once`);
  const offsets = events.map(({ offset }) => offset);
  return { stream, partition, offsets, eventIds: events.map(({ event_id }) => event_id) };
}

/** A change of a table takes effect in all parts before it resolves. */
const changed = { mutations_sync: '2' };

const ofPartition = 'stream = {stream:String} AND partition = {partition:UInt16}';

/** The offsets of a segment below the parameter `from`, for segments from that of `from` on. */
const offsetsBelow = `bitmapSubsetInRange(offsets, toUInt32(0), toUInt32(if(segment = intDiv({from:UInt64}, 1048576), {from:UInt64} % 1048576, 0)))`;

const forgetRemoved = `ALTER TABLE removed_positions UPDATE offsets = ${offsetsBelow}
WHERE ${ofPartition} AND segment >= intDiv({from:UInt64}, 1048576)`;

/** Implements EventRemover.reuseOffsets. */
export async function reuseOffsets(
  rows: RowRemover,
  { stream, ...params }: Parameters<EventRemover['reuseOffsets']>[0],
): Promise<void> {
  const query = `SELECT 1 FROM removed_positions WHERE ${ofPartition} AND segment >= intDiv({from:UInt64}, 1048576) LIMIT 1`;
  if ((await rows.lookUp(query, { stream, ...params })).length > 0)
    await rows.connection.command(forgetRemoved, { stream, ...params }, changed);
  const condition =
    '((first_partition = {partition:UInt16} AND first_offset >= {from:UInt64}) OR (partition = {partition:UInt16} AND offset >= {from:UInt64}))';
  await rows.removeIfAny('snapshots', { stream, condition, params });
}

const forgetOffsets = `ALTER TABLE positions
UPDATE offsets = bitmapAndnot(offsets, bitmapBuild(arrayMap(o -> toUInt32(o % 1048576),
  arrayFilter(o -> intDiv(o, 1048576) = segment, {offsets:Array(UInt64)}))))
WHERE ${ofPartition} AND segment >= intDiv(arrayMin({offsets:Array(UInt64)}), 1048576)
  AND segment <= intDiv(arrayMax({offsets:Array(UInt64)}), 1048576)`;

/** Selects the offsets at which other events are stored too. */
const offsetsOfOthers = `
SELECT DISTINCT offset
FROM events
WHERE ${ofPartition} AND offset IN {offsets:Array(UInt64)}
  AND (offset, event_id) NOT IN arrayZip({offsets:Array(UInt64)}, {eventIds:Array(UUID)})`;

/** A bitmap without offsets would look as if the first offset of its segment were stored. */
const removeEmpty = `DELETE FROM positions WHERE ${ofPartition} AND bitmapCardinality(offsets) = 0`;

/** SQL condition by hashes: a DELETE statement has no ids of entities, because ClickHouse keeps its text. */
const isOneOfEntities = `partition = {partition:UInt16}
  AND lower(hex(SHA256(concat(substringIndex(stream, '#', 1), char(0), entity_id)))) IN {hashes:Array(String)}`;

const entitiesOf = `SELECT DISTINCT entity_id FROM events WHERE stream = {stream:String} AND ${isOneOfEvents} AND entity_id != ''`;

const insertLatestVersions = `
INSERT INTO entities (stream, entity_id, partition, last_version, last_offset, first_timestamp, last_timestamp)
SELECT stream, entity_id, partition, max(e.version), max(e.offset),
  min(toUnixTimestamp64Micro(e.timestamp)), max(toUnixTimestamp64Micro(e.timestamp))
FROM events_by_entity AS e
WHERE ${ofPartition} AND entity_id IN {ids:Array(String)}
GROUP BY stream, entity_id, partition`;

/**
 * Implements EventRemover.removeLost. `positions` is last, because it tells how far a partition is stored: after an interruption,
 * the rows that are left are found, and a repeat removes them.
 */
export async function removeLost(rows: RowRemover, lost: EventsOfPartition): Promise<void> {
  if (lost.events.length === 0) return;
  const { stream, ...params } = paramsOfEvents(lost);
  const set = { stream: lost.stream, condition: isOneOfEvents, params };
  const ids = (await rows.lookUp<[string]>(entitiesOf, { stream, ...params })).map(([id]) => id);
  await rows.remove('events_by_entity', set);
  if (ids.length > 0) {
    const hashes = ids.map((id) => entityHash(streamNameOf(lost.stream), id));
    const params = { partition: lost.partition, hashes };
    await rows.remove('entities', { stream: lost.stream, condition: isOneOfEntities, params });
    for (const some of splitBySize(ids)) {
      // An identical row may have been inserted and removed before: the insert must not be ignored as a repeat.
      const settings = { insert_deduplication_token: randomUUID() };
      const query = { stream, partition: lost.partition, ids: some };
      await rows.connection.command(insertLatestVersions, query, settings);
    }
  }
  await rows.remove('events', set);
  const kept = new Set(
    (await rows.lookUp<[number]>(offsetsOfOthers, { stream, ...params })).map(([offset]) => offset),
  );
  const offsets = lost.events.map(({ offset }) => offset).filter((offset) => !kept.has(offset));
  if (offsets.length > 0)
    await rows.connection.command(forgetOffsets, { stream, partition: lost.partition, offsets }, changed);
  await rows.connection.command(removeEmpty, { stream, partition: lost.partition }, deleteSettings);
}
