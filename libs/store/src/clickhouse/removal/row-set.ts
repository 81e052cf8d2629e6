import type { ClickHouseSettings } from '@clickhouse/client';
import type { Connection } from '../connection.js';

/** Rows of events of one stream, told by a condition that can be asked of either table of events. */
export interface RowSet {
  stream: string;
  /** Written by us; its values are in `params`. */
  condition: string;
  params: Record<string, unknown>;
}

export type EventTable = 'events' | 'events_by_entity';

/** What of a set is stored in one partition. */
export interface Found {
  partition: number;
  /** The offset after its last one. */
  end: number;
  events: number;
}

/**
 * A lightweight delete: rows are masked, and in no answer from then on. The statement waits until that is so in every
 * part. It stays readable in ClickHouse's list of mutations: nothing personal may be in it.
 */
const deleteSettings: ClickHouseSettings = { lightweight_deletes_sync: '2', mutations_sync: '2' };

/** Said by partition: offsets below this one. Partitions that are not in it have 0 there. */
export const belowEnd = 'offset < {below:Map(UInt16, UInt64)}[partition]';

/** The set by partition, repeated rows counted once. */
export async function find(
  connection: Connection,
  set: RowSet,
  tables: readonly EventTable[],
): Promise<Found[]> {
  const rows = await connection.select<[number, number, number]>(
    `SELECT partition, max(offset) + 1, groupBitmap(offset) FROM (${rowsOf(set, tables)}) GROUP BY partition`,
    { params: paramsOf(set), purpose: 'lookup' },
  );
  return rows.map(([partition, end, events]) => ({ partition, end, events }));
}

/** Notes the set's offsets as removed, before they are: counts leave them out from now on. Bits can be set again. */
export async function noteRemoved(
  connection: Connection,
  set: RowSet,
  tables: readonly EventTable[],
): Promise<void> {
  await connection.command(
    `INSERT INTO removed_positions (stream, partition, segment, offsets)
SELECT stream, partition, intDiv(offset, 1048576) AS segment, groupBitmapState(toUInt32(offset % 1048576))
FROM (${rowsOf(set, tables)})
GROUP BY stream, partition, segment`,
    paramsOf(set),
  );
}

export function removeRows(connection: Connection, table: string, set: RowSet): Promise<void> {
  return connection.command(`DELETE FROM ${table} WHERE ${whereOf(set)}`, paramsOf(set), deleteSettings);
}

/** Whether a table has any of the set: a removal of nothing still goes through the whole table. */
export async function hasRows(connection: Connection, table: string, set: RowSet): Promise<boolean> {
  const rows = await connection.select(`SELECT 1 FROM ${table} WHERE ${whereOf(set)} LIMIT 1`, {
    params: paramsOf(set),
    purpose: 'lookup',
  });
  return rows.length > 0;
}

export function countOf(found: readonly Found[]): number {
  return found.reduce((sum, { events }) => sum + events, 0);
}

function rowsOf(set: RowSet, tables: readonly EventTable[]): string {
  return tables
    .map((table) => `SELECT stream, partition, offset FROM ${table} WHERE ${whereOf(set)}`)
    .join(' UNION ALL ');
}

function whereOf({ condition }: RowSet): string {
  return `stream = {stream:String} AND ${condition}`;
}

function paramsOf({ stream, params }: RowSet): Record<string, unknown> {
  return { stream, ...params };
}
