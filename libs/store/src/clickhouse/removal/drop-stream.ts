import type { EventEraser } from '../../event-eraser.js';
import type { Connection } from '../connection.js';
import { makeHeadsAnew, makePositionsAnew } from './derived-rows.js';
import { hasRows, removeRows } from './row-set.js';

/** When a row was written, as each table knows it. */
const ages = {
  events: `ingested_at < fromUnixTimestamp64Micro({before:Int64}, 'UTC')`,
  events_by_entity: `ingested_at < fromUnixTimestamp64Micro({before:Int64}, 'UTC')`,
  dead_letters: `created_at < fromUnixTimestamp64Micro({before:Int64}, 'UTC')`,
  dead_letter_replays: 'replayed_at < {before:Int64}',
  snapshots: 'first_ingested_at < {before:Int64}',
};

/** Made of events: they do not know their age. */
const derived = ['entities', 'positions', 'removed_positions'];

type Query = Parameters<EventEraser['dropStream']>[0];

/**
 * See EventEraser.dropStream. `events` comes last: as long as it has rows, a repeat does all of it again. What is made of
 * events goes whole, and is made anew of the events that stay; where nothing is removed and some stay, it is theirs alone.
 */
export async function dropStream(connection: Connection, query: Query): Promise<void> {
  const { stream } = query;
  const remaining = await hasRows(connection, 'events', {
    stream,
    condition: `NOT (${ages.events})`,
    params: { before: query.before },
  });
  const found = await hasAny(connection, query);
  await removeOld(connection, 'dead_letters', query);
  await removeOld(connection, 'dead_letter_replays', query);
  if (found) await removeOld(connection, 'events_by_entity', query);
  await removeOld(connection, 'snapshots', query);
  if (remaining && !found) return;
  const whole = { stream, condition: 'true', params: {} };
  for (const table of derived) {
    if (await hasRows(connection, table, whole)) await removeRows(connection, table, whole);
  }
  await makeHeadsAnew(connection, query);
  await makePositionsAnew(connection, query);
  await removeOld(connection, 'events', query);
}

async function hasAny(connection: Connection, { stream, before }: Query): Promise<boolean> {
  for (const table of ['events', 'events_by_entity'] as const) {
    if (await hasRows(connection, table, { stream, condition: ages[table], params: { before } })) return true;
  }
  return false;
}

async function removeOld(
  connection: Connection,
  table: keyof typeof ages,
  { stream, before }: Query,
): Promise<void> {
  const set = { stream, condition: ages[table], params: { before } };
  if (await hasRows(connection, table, set)) await removeRows(connection, table, set);
}
