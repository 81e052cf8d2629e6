import { TupleParam } from '@clickhouse/client';
import type { StoreClickHouseClient } from '../store-clickhouse-client.js';
import { entityHashCondition, type EntityErasureParams } from './erased-entity.js';
import { belowEndCondition, removeRows } from './row-set.js';

/** Maximum number of dead letters that one statement removes. */
const atOnce = 1_000;

type DeadLetterKey = [source: string, partition: number, offset: number, step: string];

const bytes = `if(startsWith(event, 'base64:'), tryBase64Decode(substring(event, 8)), event)`;

/** The raw text of an event that was refused at intake, if the event names no entity. */
const rejectedEventText = `if(reason = 'refused_at_intake' AND JSONExtractString(event, 'entity_id') = '', JSONExtractString(event, 'text'), '')`;

/**
 * A condition for dead letters that contain the entity's id without naming their entity. A readable record
 * that the store rejected names its entity. For an unreadable record, the condition searches for the id as a
 * JSON string.
 */
export const containsEntityId = `((position(${bytes}, {literal:String}) > 0 AND NOT isValidJSON(${bytes})) OR position(${rejectedEventText}, {literal:String}) > 0)`;
const namesEntity = entityHashCondition("JSONExtractString(event, 'entity_id')");

/**
 * Removes the entity's dead letters by their keys, so that the DELETE statement does not contain the entity's
 * id.
 */
export async function eraseDeadLetters(
  connection: StoreClickHouseClient,
  erased: EntityErasureParams,
): Promise<void> {
  const { stream, hash, ids, below } = erased;
  const [id] = ids;
  const params = { stream, hash, below, ...(id !== undefined && { literal: JSON.stringify(id) }) };
  const theirs = id === undefined ? namesEntity : `(${namesEntity} OR ${containsEntityId})`;
  const query = `SELECT DISTINCT source, partition, offset, step FROM dead_letters
WHERE stream = {stream:String} AND ${belowEndCondition} AND ${theirs}
LIMIT ${atOnce}`;
  for (;;) {
    const places = await connection.select<DeadLetterKey>(query, { params, purpose: 'lookup' });
    if (places.length === 0) return;
    await removeRows(connection, 'dead_letters', {
      stream,
      condition: '(source, partition, offset, step) IN {places:Array(Tuple(String, UInt16, UInt64, String))}',
      params: { places: places.map((place) => new TupleParam(place)) },
    });
    if (places.length < atOnce) return;
  }
}
