import type { EntityErasure } from '../../event-remover.js';
import type { StoreClickHouseClient } from '../store-clickhouse-client.js';
import { entityHashCondition, type EntityErasureParams } from './erased-entity.js';
import { eraseDeadLetters } from './erase-dead-letters.js';
import { correctLatestVersions } from './correct-latest-versions.js';
import {
  belowEndCondition,
  totalEvents,
  countByPartition,
  hasRows,
  recordRemovedOffsets,
  removeRows,
  type EventRowCondition,
} from './row-set.js';

/** Implements EventRemover.eraseEntity: removes the entity's events, then its snapshots, then its dead letters. */
export async function eraseEntity(
  connection: StoreClickHouseClient,
  erasure: EntityErasure,
): Promise<number> {
  const { stream, entityHash: hash } = erasure;
  const below = belowOf(erasure);
  const ids = erasure.entityId === undefined ? await idsOf(connection, erasure) : [erasure.entityId];
  const erased = { stream, hash, ids, below };
  const events = ids.length === 0 ? 0 : await eraseEvents(connection, erased);
  await eraseSnapshots(connection, erased);
  await eraseDeadLetters(connection, erased);
  return events;
}

/** Implements EventRemover.countEntity: counts the stored events that an erasure would remove. */
export async function countEntity(
  connection: StoreClickHouseClient,
  erasure: EntityErasure & { entityId: string },
): Promise<number> {
  const { stream, entityId } = erasure;
  const set = rowsOfEntity({ stream, ids: [entityId], below: belowOf(erasure) });
  return totalEvents(await countByPartition(connection, set, ['events', 'events_by_entity']));
}

function belowOf({ before }: EntityErasure): Map<number, number> {
  return new Map(Object.entries(before).map(([key, offset]) => [Number(key), offset]));
}

function rowsOfEntity({
  stream,
  ids,
  below,
}: Pick<EntityErasureParams, 'stream' | 'ids' | 'below'>): EventRowCondition {
  return {
    stream,
    condition: `entity_id IN {ids:Array(String)} AND ${belowEndCondition}`,
    params: { ids, below },
  };
}

/**
 * Finds the entity's id by its hash. Nearly every entity with stored events has a row in the small table
 * `entities`, even if a writer that had lost its partition wrote the events. Events without such a row come
 * from an interrupted insert or erasure; `events` is searched for them.
 */
async function idsOf(
  connection: StoreClickHouseClient,
  { stream, entityHash }: EntityErasure,
): Promise<string[]> {
  for (const table of ['entities', 'events']) {
    const rows = await connection.select<[string]>(
      `SELECT DISTINCT entity_id FROM ${table} WHERE stream = {stream:String} AND ${entityHashCondition('entity_id')}`,
      { params: { stream, hash: entityHash }, purpose: 'lookup' },
    );
    if (rows.length > 0) return rows.map(([id]) => id);
  }
  return [];
}

/**
 * Removes the entity's events and then corrects its rows in the table `entities`. The rows in `entities` are last: as
 * long as one of these rows exists, a repeat of the erasure can find the entity's id by its hash.
 */
async function eraseEvents(connection: StoreClickHouseClient, erased: EntityErasureParams): Promise<number> {
  const { stream, hash, below } = erased;
  const named = rowsOfEntity(erased);
  const condition = `${entityHashCondition('entity_id')} AND ${belowEndCondition}`;
  const hashed: EventRowCondition = { stream, condition, params: { hash, below } };
  const found = await countByPartition(connection, named, ['events', 'events_by_entity']);
  if (found.length > 0) {
    await recordRemovedOffsets(connection, named, ['events', 'events_by_entity']);
    await removeRows(connection, 'events', hashed);
    await removeRows(connection, 'events_by_entity', hashed);
  }
  await correctLatestVersions(connection, erased);
  return totalEvents(found);
}

/**
 * Removes the entity's snapshots. The snapshots must be removed after the entity's events: a snapshot that is saved at
 * the same time is checked for its events afterwards.
 */
async function eraseSnapshots(
  connection: StoreClickHouseClient,
  { stream, hash, ids, below }: EntityErasureParams,
): Promise<void> {
  const theirs = (entity: string) =>
    `${entity} AND (first_offset < {below:Map(UInt16, UInt64)}[first_partition] OR offset < {below:Map(UInt16, UInt64)}[partition])`;
  const hashed = { stream, condition: theirs(entityHashCondition('entity_id')), params: { hash, below } };
  const named = { stream, condition: theirs('entity_id IN {ids:Array(String)}'), params: { ids, below } };
  const found = await hasRows(connection, 'snapshots', ids.length > 0 ? named : hashed);
  if (found) await removeRows(connection, 'snapshots', hashed);
}
