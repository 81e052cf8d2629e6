import type { StoreClickHouseClient } from '../store-clickhouse-client.js';
import { hasRows, removeRows } from './row-set.js';

/**
 * All tables that contain rows of streams. `events` is last: a repeat of an interrupted drop finds the other
 * tables' rows until they are removed.
 */
const tables = [
  ...['dead_letters', 'dead_letter_replays', 'events_by_entity', 'snapshots'],
  ...['entities', 'positions', 'removed_positions', 'events'],
];

/** Maximum number of dropped streams whose late rows one call of `removeLateRows` removes. */
const maxStreamsAtOnce = 100;

/**
 * One SELECT for each table that finds rows of dropped streams. Each repeats the condition, so that ClickHouse finds
 * the few rows by the table's sorting key.
 */
const lateRows = tables.map(
  (table) => `SELECT DISTINCT stream FROM ${table} WHERE stream IN (SELECT stream FROM dropped_streams)`,
);

const withLateRows = `SELECT DISTINCT stream FROM (${lateRows.join(' UNION ALL ')}) LIMIT ${maxStreamsAtOnce}`;

/**
 * Implements EventRemover.dropStream. The id is first added to `dropped_streams`: from then on, no answer
 * includes the stream unless the query names it, even if other processes still write to it.
 */
export async function dropStream(connection: StoreClickHouseClient, stream: string): Promise<void> {
  await connection.command('INSERT INTO dropped_streams (stream) SELECT {stream:String}', { stream });
  await removeAll(connection, stream);
}

/**
 * Implements EventRemover.removeLateRows: removes the rows of at most 100 dropped streams, and returns the number of
 * these streams.
 */
export async function removeLateRows(connection: StoreClickHouseClient): Promise<number> {
  const rows = await connection.select<[string]>(withLateRows, { purpose: 'lookup' });
  for (const [stream] of rows) await removeAll(connection, stream);
  return rows.length;
}

async function removeAll(connection: StoreClickHouseClient, stream: string): Promise<void> {
  const whole = { stream, condition: 'true', params: {} };
  for (const table of tables)
    if (await hasRows(connection, table, whole)) await removeRows(connection, table, whole);
}
