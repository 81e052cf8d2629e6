import type { RowRemover } from './row-remover.js';

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
export async function dropStream(rows: RowRemover, stream: string): Promise<void> {
  await rows.connection.command('INSERT INTO dropped_streams (stream) SELECT {stream:String}', { stream });
  await removeAll(rows, stream);
}

/**
 * Implements EventRemover.removeLateRows: removes the rows of at most 100 dropped streams, and returns the number of
 * these streams.
 */
export async function removeLateRows(rows: RowRemover): Promise<number> {
  const streams = await rows.lookUp<[string]>(withLateRows);
  for (const [stream] of streams) await removeAll(rows, stream);
  return streams.length;
}

async function removeAll(rows: RowRemover, stream: string): Promise<void> {
  for (const table of tables) await rows.removeIfAny(table, { stream, condition: 'true', params: {} });
}
