import { TupleParam } from '@clickhouse/client';
import { entityHashCondition, type EntityErasureParams } from './erased-entity.js';
import { belowEndCondition, type RowRemover } from './row-remover.js';

/** Maximum number of dead letters that one statement removes. */
const atOnce = 1_000;

const bytes = `if(startsWith(event, 'base64:'), tryBase64Decode(substring(event, 8)), event)`;

/** The raw text of an event that was refused at intake, if the event names no entity. */
const rejectedEventText = `if(reason = 'refused_at_intake' AND JSONExtractString(event, 'entity_id') = '', JSONExtractString(event, 'text'), '')`;

/**
 * A condition for dead letters that contain the entity's id without naming their entity. A readable record that the
 * store rejected names its entity. For an unreadable record, the condition searches for the id as a JSON string.
 */
export const containsEntityId = `((position(${bytes}, {literal:String}) > 0 AND NOT isValidJSON(${bytes})) OR position(${rejectedEventText}, {literal:String}) > 0)`;
const namesEntity = entityHashCondition("JSONExtractString(event, 'entity_id')");

/** Removes the entity's dead letters by their keys, so that the DELETE statement does not contain the entity's id. */
export async function eraseDeadLetters(rows: RowRemover, erased: EntityErasureParams): Promise<void> {
  const { stream, hash, ids, below } = erased;
  const [id] = ids;
  const params = { stream, hash, below, ...(id !== undefined && { literal: JSON.stringify(id) }) };
  const ofEntity = id === undefined ? namesEntity : `(${namesEntity} OR ${containsEntityId})`;
  const query = `SELECT DISTINCT source, partition, offset, step FROM dead_letters
WHERE stream = {stream:String} AND ${belowEndCondition} AND ${ofEntity}
LIMIT ${atOnce}`;
  for (;;) {
    const keys = await rows.lookUp<[string, number, number, string]>(query, params);
    if (keys.length === 0) return;
    await rows.remove('dead_letters', {
      stream,
      condition: '(source, partition, offset, step) IN {keys:Array(Tuple(String, UInt16, UInt64, String))}',
      params: { keys: keys.map((key) => new TupleParam(key)) },
    });
    if (keys.length < atOnce) return;
  }
}
