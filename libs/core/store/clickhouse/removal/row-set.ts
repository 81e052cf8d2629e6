import type { ClickHouseSettings } from '@clickhouse/client';
import type { StoreClickHouseClient } from '../store-clickhouse-client.js';

/** A set of event rows of one stream, given by a condition that is valid for both tables of events. */
export interface EventRowCondition {
  stream: string;
  /**
   * SQL condition for the rows of the set. The condition contains no values of clients: these values are in `params`.
   */
  condition: string;
  params: Record<string, unknown>;
}

/** A ClickHouse table with one row for each event. */
type EventTableName = 'events' | 'events_by_entity';

/** How many events of a set one partition of a stream has, and the offset at which they end. */
interface PartitionEventCount {
  partition: number;
  /** The offset after that of the last event of the set in this partition. */
  end: number;
  events: number;
}

/**
 * Settings for a lightweight delete: ClickHouse masks the rows, so no later answer contains them. The statement waits
 * until all parts are masked. The text of the DELETE statement remains in ClickHouse's list of mutations, so it must
 * not contain personal data.
 */
const deleteSettings: ClickHouseSettings = { lightweight_deletes_sync: '2', mutations_sync: '2' };

/**
 * SQL condition: the offset of the row is below the end offset of its partition in the parameter `below`. A partition
 * that is not in this map has the end 0, so none of its rows match.
 */
export const belowEndCondition = 'offset < {below:Map(UInt16, UInt64)}[partition]';

/** Returns, for each partition, the number of distinct offsets in the set and the offset after the last one. */
export async function countByPartition(
  connection: StoreClickHouseClient,
  set: EventRowCondition,
  tables: readonly EventTableName[],
): Promise<PartitionEventCount[]> {
  const rows = await connection.select<[number, number, number]>(
    `SELECT partition, max(offset) + 1, groupBitmap(offset) FROM (${rowsOf(set, tables)}) GROUP BY partition`,
    { params: paramsOf(set), purpose: 'lookup' },
  );
  return rows.map(([partition, end, events]) => ({ partition, end, events }));
}

/**
 * Records the offsets of the set as removed, before the rows are removed: counts exclude them from now on.
 * Idempotent, because it sets bits.
 */
export async function recordRemovedOffsets(
  connection: StoreClickHouseClient,
  set: EventRowCondition,
  tables: readonly EventTableName[],
): Promise<void> {
  await connection.command(
    `INSERT INTO removed_positions (stream, partition, segment, offsets)
SELECT stream, partition, intDiv(offset, 1048576) AS segment, groupBitmapState(toUInt32(offset % 1048576))
FROM (${rowsOf(set, tables)})
GROUP BY stream, partition, segment`,
    paramsOf(set),
  );
}

/** Deletes the rows of the set from a table. Resolves when no answer of ClickHouse contains them any more. */
export function removeRows(
  connection: StoreClickHouseClient,
  table: string,
  set: EventRowCondition,
): Promise<void> {
  return connection.command(`DELETE FROM ${table} WHERE ${whereOf(set)}`, paramsOf(set), deleteSettings);
}

/**
 * Whether a table contains rows of the set. The check is needed because a DELETE that matches nothing still
 * scans the whole table.
 */
export async function hasRows(
  connection: StoreClickHouseClient,
  table: string,
  set: EventRowCondition,
): Promise<boolean> {
  const rows = await connection.select(`SELECT 1 FROM ${table} WHERE ${whereOf(set)} LIMIT 1`, {
    params: paramsOf(set),
    purpose: 'lookup',
  });
  return rows.length > 0;
}

/** Returns the sum of the numbers of events over all partitions. */
export function totalEvents(found: readonly PartitionEventCount[]): number {
  return found.reduce((sum, { events }) => sum + events, 0);
}

function rowsOf(set: EventRowCondition, tables: readonly EventTableName[]): string {
  return tables
    .map((table) => `SELECT stream, partition, offset FROM ${table} WHERE ${whereOf(set)}`)
    .join(' UNION ALL ');
}

function whereOf({ condition }: EventRowCondition): string {
  return `stream = {stream:String} AND ${condition}`;
}

function paramsOf({ stream, params }: EventRowCondition): Record<string, unknown> {
  return { stream, ...params };
}
