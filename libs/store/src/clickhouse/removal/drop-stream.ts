import type { Connection } from '../connection.js';
import { hasRows, removeRows } from './row-set.js';

/** Everything that has rows of streams. */
const tables = [
  'events',
  'events_by_entity',
  'entities',
  'positions',
  'removed_positions',
  'dead_letters',
  'dead_letter_replays',
];

/** See EventEraser.dropStream. */
export async function dropStream(connection: Connection, stream: string): Promise<void> {
  const everything = { stream, condition: 'true', params: {} };
  for (const table of tables) {
    if (await hasRows(connection, table, everything)) await removeRows(connection, table, everything);
  }
}
