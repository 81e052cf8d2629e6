import type { Connection } from '../connection.js';
import { hasRows, removeRows } from './row-set.js';

/** All that have rows of streams. `events` comes last: what leads to the others is there until they are done. */
const tables = [
  ...['dead_letters', 'dead_letter_replays', 'events_by_entity', 'snapshots'],
  ...['entities', 'positions', 'removed_positions', 'events'],
];

/** Streams whose late rows are removed in one go. */
const most = 100;

/** Each SELECT has the condition itself: by it ClickHouse finds the few rows in the table's key. */
const lateRows = tables.map(
  (table) => `SELECT DISTINCT stream FROM ${table} WHERE stream IN (SELECT stream FROM dropped_streams)`,
);

const withLateRows = `SELECT DISTINCT stream FROM (${lateRows.join(' UNION ALL ')}) LIMIT ${most}`;

/** See EventEraser.dropStream. The mark comes first: from then on nothing of it is seen, whoever still writes. */
export async function dropStream(connection: Connection, stream: string): Promise<void> {
  await connection.command('INSERT INTO dropped_streams (stream) SELECT {stream:String}', { stream });
  await removeAll(connection, stream);
}

/** See EventEraser.removeLate. */
export async function removeLate(connection: Connection): Promise<number> {
  const rows = await connection.select<[string]>(withLateRows, { purpose: 'lookup' });
  for (const [stream] of rows) await removeAll(connection, stream);
  return rows.length;
}

async function removeAll(connection: Connection, stream: string): Promise<void> {
  const whole = { stream, condition: 'true', params: {} };
  for (const table of tables)
    if (await hasRows(connection, table, whole)) await removeRows(connection, table, whole);
}
