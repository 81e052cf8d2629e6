import type { EntityErasure } from '../../event-eraser.js';
import type { Connection } from '../connection.js';
import { hashIs, type ErasedEntity } from './erased-entity.js';
import { eraseLetters } from './erased-letters.js';
import { correctHeads } from './entity-heads.js';
import { belowEnd, countOf, find, hasRows, noteRemoved, removeRows, type RowSet } from './row-set.js';

/** Implements EventEraser.eraseEntity. */
export async function eraseEntity(connection: Connection, erasure: EntityErasure): Promise<number> {
  const { stream, entityHash: hash } = erasure;
  const below = belowOf(erasure);
  const ids = erasure.entityId === undefined ? await idsOf(connection, erasure) : [erasure.entityId];
  const erased = { stream, hash, ids, below };
  const events = ids.length === 0 ? 0 : await eraseEvents(connection, erased);
  await eraseSnapshots(connection, erased);
  await eraseLetters(connection, erased);
  return events;
}

/** Implements EventEraser.countEntity. */
export async function countEntity(
  connection: Connection,
  erasure: EntityErasure & { entityId: string },
): Promise<number> {
  const { stream, entityId } = erasure;
  const set = namedSet({ stream, ids: [entityId], below: belowOf(erasure) });
  return countOf(await find(connection, set, ['events', 'events_by_entity']));
}

function belowOf({ before }: EntityErasure): Map<number, number> {
  return new Map(Object.entries(before).map(([key, offset]) => [Number(key), offset]));
}

function namedSet({ stream, ids, below }: Pick<ErasedEntity, 'stream' | 'ids' | 'below'>): RowSet {
  return { stream, condition: `entity_id IN {ids:Array(String)} AND ${belowEnd}`, params: { ids, below } };
}

/**
 * Finds the entity's id by its hash. Nearly every entity with stored events has a row in the small table
 * `entities`, even if a writer that had lost its partition wrote the events. Events without such a row come
 * from an interrupted insert or erasure; `events` is searched for them.
 */
async function idsOf(connection: Connection, { stream, entityHash }: EntityErasure): Promise<string[]> {
  for (const table of ['entities', 'events']) {
    const rows = await connection.select<[string]>(
      `SELECT DISTINCT entity_id FROM ${table} WHERE stream = {stream:String} AND ${hashIs('entity_id')}`,
      { params: { stream, hash: entityHash }, purpose: 'lookup' },
    );
    if (rows.length > 0) return rows.map(([id]) => id);
  }
  return [];
}

/**
 * The rows in `entities` are removed last: as long as one exists, a repeat can find the entity's id by its
 * hash.
 */
async function eraseEvents(connection: Connection, erased: ErasedEntity): Promise<number> {
  const { stream, hash, below } = erased;
  const named = namedSet(erased);
  const condition = `${hashIs('entity_id')} AND ${belowEnd}`;
  const hashed: RowSet = { stream, condition, params: { hash, below } };
  const found = await find(connection, named, ['events', 'events_by_entity']);
  if (found.length > 0) {
    await noteRemoved(connection, named, ['events', 'events_by_entity']);
    await removeRows(connection, 'events', hashed);
    await removeRows(connection, 'events_by_entity', hashed);
  }
  await correctHeads(connection, erased);
  return countOf(found);
}

/**
 * Runs after the events are removed: a concurrent snapshot writer verifies that the events are still stored.
 */
async function eraseSnapshots(
  connection: Connection,
  { stream, hash, ids, below }: ErasedEntity,
): Promise<void> {
  const theirs = (entity: string) =>
    `${entity} AND first_offset < {below:Map(UInt16, UInt64)}[first_partition]`;
  const hashed = { stream, condition: theirs(hashIs('entity_id')), params: { hash, below } };
  const named = { stream, condition: theirs('entity_id IN {ids:Array(String)}'), params: { ids, below } };
  const found = await hasRows(connection, 'snapshots', ids.length > 0 ? named : hashed);
  if (found) await removeRows(connection, 'snapshots', hashed);
}
