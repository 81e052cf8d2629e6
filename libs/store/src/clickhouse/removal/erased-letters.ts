import { TupleParam } from '@clickhouse/client';
import type { Connection } from '../connection.js';
import { hashIs, type ErasedEntity } from './erased-entity.js';
import { belowEnd, removeRows } from './row-set.js';

/** Letters that one statement removes. */
const atOnce = 1_000;

type Place = [source: string, partition: number, offset: number, step: string];

const bytes = `if(startsWith(event, 'base64:'), tryBase64Decode(substring(event, 8)), event)`;

/** The text in what was refused at intake, where it does not say whose it is. */
const refusedText = `if(reason = 'refused_at_intake' AND JSONExtractString(event, 'entity_id') = '', JSONExtractString(event, 'text'), '')`;

/**
 * A record that could be read (and was refused by the store) says whose it is. Of one that could not, all that can be
 * told is whether it holds the id as a JSON text.
 */
export const holdsId = `((position(${bytes}, {literal:String}) > 0 AND NOT isValidJSON(${bytes})) OR position(${refusedText}, {literal:String}) > 0)`;
const saysId = hashIs("JSONExtractString(event, 'entity_id')");

/** Removes the entity's dead letters by their places: the statement does not name it. */
export async function eraseLetters(connection: Connection, erased: ErasedEntity): Promise<void> {
  const { stream, hash, ids, below } = erased;
  const [id] = ids;
  const params = { stream, hash, below, ...(id !== undefined && { literal: JSON.stringify(id) }) };
  const theirs = id === undefined ? saysId : `(${saysId} OR ${holdsId})`;
  const query = `SELECT DISTINCT source, partition, offset, step FROM dead_letters
WHERE stream = {stream:String} AND ${belowEnd} AND ${theirs}
LIMIT ${atOnce}`;
  for (;;) {
    const places = await connection.select<Place>(query, { params, purpose: 'lookup' });
    if (places.length === 0) return;
    await removeRows(connection, 'dead_letters', {
      stream,
      condition: '(source, partition, offset, step) IN {places:Array(Tuple(String, UInt16, UInt64, String))}',
      params: { places: places.map((place) => new TupleParam(place)) },
    });
    if (places.length < atOnce) return;
  }
}
