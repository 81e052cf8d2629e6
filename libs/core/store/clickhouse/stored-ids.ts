import type { EventWriter, OffsetRange } from '../store.js';
import type { StoreClickHouseClient } from './store-clickhouse-client.js';
import { longQuerySettings, splitBySize } from './split-by-size.js';

/**
 * Selects the offsets of events by their ids. The minmax index on `offset` and the bloom filter on `event_id` leave few
 * granules to read.
 */
const offsetsSql = `
SELECT toString(event_id), offset
FROM events
WHERE stream = {stream:String} AND partition = {partition:UInt16} AND offset >= {from:UInt64} AND offset < {until:UInt64}
  AND event_id IN {eventIds:Array(UUID)}
GROUP BY event_id, offset
ORDER BY offset`;

/** Selects the ids of an offset range as one text, because an answer of one row is complete or an error. */
const idsSql = `
SELECT base64Encode(arrayStringConcat(groupArray(reinterpretAsFixedString(event_id))))
FROM events
WHERE stream = {stream:String} AND partition = {partition:UInt16} AND offset >= {from:UInt64} AND offset < {until:UInt64}`;

const bytesPerId = 16;

/** Implements EventWriter.offsetsOf: returns the offsets of stored events by event id. */
export async function offsetsOf(
  connection: StoreClickHouseClient,
  { eventIds, ...range }: Parameters<EventWriter['offsetsOf']>[0],
): Promise<Map<string, number[]>> {
  const found = new Map<string, number[]>();
  for (const ids of splitBySize(eventIds)) {
    const rows = await connection.select<[string, number]>(offsetsSql, {
      params: { ...range, eventIds: ids },
      settings: longQuerySettings,
      purpose: 'lookup',
    });
    for (const [id, offset] of rows) {
      const known = found.get(id);
      if (known) known.push(offset);
      else found.set(id, [offset]);
    }
  }
  return found;
}

/** Implements EventWriter.idsIn: returns the ids of the events of an offset range. */
export async function idsIn(connection: StoreClickHouseClient, range: OffsetRange): Promise<Uint32Array> {
  const [row] = await connection.select<[string]>(idsSql, { params: { ...range }, purpose: 'lookup' });
  const bytes = Buffer.from(row?.[0] ?? '', 'base64');
  const words = new Uint32Array(bytes.length / 4);
  // ClickHouse keeps a UUID as two 64-bit numbers, the more significant one first, each with its lowest byte first.
  for (let at = 0; at < bytes.length; at += bytesPerId) {
    for (let word = 0; word < 4; word++) words[at / 4 + word] = bytes.readUInt32LE(at + (word ^ 1) * 4);
  }
  return words;
}
