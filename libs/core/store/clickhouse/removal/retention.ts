import type { EventRemover } from '../../event-remover.js';
import type { StoreClickHouseClient } from '../store-clickhouse-client.js';
import {
  belowEndCondition,
  totalEvents,
  countByPartition,
  hasRows,
  recordRemovedOffsets,
  removeRows,
  type EventRowCondition,
} from './row-set.js';
import { removeSnapshots } from './remove-snapshots.js';

const earlier = (column: string) => `${column} < fromUnixTimestamp64Micro({before:Int64}, 'UTC')`;

/** Implements EventRemover.expire: removes what was ingested before a time. */
export async function expire(
  connection: StoreClickHouseClient,
  { stream, before }: Parameters<EventRemover['expire']>[0],
): Promise<number> {
  const params = { before };
  const events = await removeEvents(connection, { stream, condition: earlier('ingested_at'), params });
  await removeSnapshots(connection, { stream, condition: 'first_ingested_at < {before:Int64}', params });
  await removeLetters(connection, { stream, condition: earlier('created_at'), params });
  return events;
}

/** Implements EventRemover.truncate: removes what is below an offset of one partition. */
export async function truncate(
  connection: StoreClickHouseClient,
  { stream, partition, before }: Parameters<EventRemover['truncate']>[0],
): Promise<number> {
  const params = { partition, before };
  const set = { stream, condition: 'partition = {partition:UInt16} AND offset < {before:UInt64}', params };
  const events = await removeEvents(connection, set);
  const first = 'first_partition = {partition:UInt16} AND first_offset < {before:UInt64}';
  await removeSnapshots(connection, { stream, condition: first, params });
  await removeLetters(connection, set);
  return events;
}

/**
 * Removes only the events that were found and noted: concurrently written events may match the set too.
 * `events` is last: as long as it contains the rows, a repeat finds them.
 */
async function removeEvents(connection: StoreClickHouseClient, set: EventRowCondition): Promise<number> {
  const found = await countByPartition(connection, set, ['events']);
  if (found.length === 0) return 0;
  const below = new Map(found.map(({ partition, end }) => [partition, end]));
  const bounded = {
    ...set,
    condition: `${set.condition} AND ${belowEndCondition}`,
    params: { ...set.params, below },
  };
  await recordRemovedOffsets(connection, bounded, ['events']);
  await removeRows(connection, 'events_by_entity', bounded);
  await removeRows(connection, 'events', bounded);
  return totalEvents(found);
}

async function removeLetters(connection: StoreClickHouseClient, set: EventRowCondition): Promise<void> {
  if (await hasRows(connection, 'dead_letters', set)) await removeRows(connection, 'dead_letters', set);
}
