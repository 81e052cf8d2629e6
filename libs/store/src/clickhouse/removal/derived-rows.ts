import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from '../connection.js';

/** Events that stay: ingested since then. */
interface Staying {
  stream: string;
  /** Microseconds since 1970. */
  before: number;
}

const staying = `stream = {stream:String} AND e.ingested_at >= fromUnixTimestamp64Micro({before:Int64}, 'UTC')`;

const heads = `
INSERT INTO entities (stream, entity_id, partition, last_version, last_offset, first_timestamp, last_timestamp)
SELECT stream, entity_id, partition, max(e.version), max(e.offset),
  min(toUnixTimestamp64Micro(e.timestamp)), max(toUnixTimestamp64Micro(e.timestamp))
FROM events AS e
WHERE ${staying} AND entity_id != ''
GROUP BY stream, entity_id, partition`;

const positions = `
INSERT INTO positions (stream, partition, segment, offsets, first_timestamp, last_timestamp)
SELECT stream, partition, intDiv(e.offset, 1048576) AS segment,
  groupBitmapState(toUInt32(e.offset % 1048576)),
  min(toUnixTimestamp64Micro(e.timestamp)), max(toUnixTimestamp64Micro(e.timestamp))
FROM events AS e
WHERE ${staying}
GROUP BY stream, partition, segment`;

/** An insert that was under way has its row in each table by then. */
const settledMs = 1_000;

/** Heads of the events that stay. */
export function makeHeadsAnew(connection: Connection, query: Staying): Promise<void> {
  return makeAnew(connection, heads, query);
}

/** Positions of the events that stay. */
export function makePositionsAnew(connection: Connection, query: Staying): Promise<void> {
  return makeAnew(connection, positions, query);
}

/**
 * Where there are any, twice: an event that was just being written may have had its row here removed before it could be
 * seen among the events. Repeated rows come out the same.
 */
async function makeAnew(connection: Connection, statement: string, query: Staying): Promise<void> {
  const { stream, before } = query;
  for (let time = 0; time < 2; time++) {
    const any = await connection.select(`SELECT 1 FROM events AS e WHERE ${staying} LIMIT 1`, {
      params: { stream, before },
      purpose: 'lookup',
    });
    if (any.length === 0) return;
    if (time > 0) await sleep(settledMs);
    await connection.command(statement, { stream, before }, { insert_deduplication_token: randomUUID() });
  }
}
