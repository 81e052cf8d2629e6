import type { EntityErasure } from '../../event-remover.js';
import { correctLatestVersions } from './correct-latest-versions.js';
import { eraseDeadLetters } from './erase-dead-letters.js';
import { entityHashCondition, type EntityErasureParams } from './erased-entity.js';
import { belowEndCondition, totalEvents, type RowRemover, type RowSet } from './row-remover.js';

/** Implements EventRemover.eraseEntity: removes the entity's events, then its snapshots, then its dead letters. */
export async function eraseEntity(rows: RowRemover, erasure: EntityErasure): Promise<number> {
  const { stream, entityHash: hash } = erasure;
  const ids = erasure.entityId === undefined ? await idsOf(rows, erasure) : [erasure.entityId];
  const erased = { stream, hash, ids, below: belowOf(erasure) };
  const events = ids.length === 0 ? 0 : await eraseEvents(rows, erased);
  await eraseSnapshots(rows, erased);
  await eraseDeadLetters(rows, erased);
  return events;
}

/** Implements EventRemover.countEntity: counts the stored events that an erasure would remove. */
export async function countEntity(
  rows: RowRemover,
  erasure: EntityErasure & { entityId: string },
): Promise<number> {
  const { stream, entityId } = erasure;
  const set = rowsOfEntity({ stream, ids: [entityId], below: belowOf(erasure) });
  return totalEvents(await rows.countByPartition(set, ['events', 'events_by_entity']));
}

function belowOf({ before }: EntityErasure): Map<number, number> {
  return new Map(Object.entries(before).map(([key, offset]) => [Number(key), offset]));
}

function rowsOfEntity({ stream, ids, below }: Omit<EntityErasureParams, 'hash'>): RowSet {
  const condition = `entity_id IN {ids:Array(String)} AND ${belowEndCondition}`;
  return { stream, condition, params: { ids, below } };
}

/**
 * Finds the entity's id by its hash. Nearly every entity with stored events has a row in the small table
 * `entities`, even if a writer that had lost its partition wrote the events. Events without such a row come
 * from an interrupted insert or erasure; `events` is searched for them.
 */
async function idsOf(rows: RowRemover, { stream, entityHash: hash }: EntityErasure): Promise<string[]> {
  for (const table of ['entities', 'events']) {
    const query = `SELECT DISTINCT entity_id FROM ${table} WHERE stream = {stream:String} AND ${entityHashCondition('entity_id')}`;
    const found = await rows.lookUp<[string]>(query, { stream, hash });
    if (found.length > 0) return found.map(([id]) => id);
  }
  return [];
}

/**
 * Removes the entity's events and then corrects its rows in the table `entities`. The rows in `entities` are last: as
 * long as one of these rows exists, a repeat of the erasure can find the entity's id by its hash.
 */
async function eraseEvents(rows: RowRemover, erased: EntityErasureParams): Promise<number> {
  const { stream, hash, below } = erased;
  const named = rowsOfEntity(erased);
  const condition = `${entityHashCondition('entity_id')} AND ${belowEndCondition}`;
  const hashed: RowSet = { stream, condition, params: { hash, below } };
  const found = await rows.countByPartition(named, ['events', 'events_by_entity']);
  if (found.length > 0) {
    await rows.recordRemovedOffsets(named, ['events', 'events_by_entity']);
    await rows.remove('events', hashed);
    await rows.remove('events_by_entity', hashed);
  }
  await correctLatestVersions(rows, erased);
  return totalEvents(found);
}

/**
 * Removes the entity's snapshots. The snapshots must be removed after the entity's events: a snapshot that is saved at
 * the same time is checked for its events afterwards.
 */
async function eraseSnapshots(rows: RowRemover, erased: EntityErasureParams): Promise<void> {
  const { stream, hash, ids, below } = erased;
  const ofEntity = (entity: string) =>
    `${entity} AND (first_offset < {below:Map(UInt16, UInt64)}[first_partition] OR offset < {below:Map(UInt16, UInt64)}[partition])`;
  const hashed = { stream, condition: ofEntity(entityHashCondition('entity_id')), params: { hash, below } };
  const named = { stream, condition: ofEntity('entity_id IN {ids:Array(String)}'), params: { ids, below } };
  await rows.removeIfAny('snapshots', hashed, ids.length > 0 ? named : hashed);
}
