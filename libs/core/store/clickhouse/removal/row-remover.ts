import { deleteSettings } from '../connection/settings.js';
import type { ClickHouseConnection } from '../connection/store-clickhouse-client.js';

/** A set of rows of one stream. */
export interface RowSet {
  stream: string;
  /** SQL condition for the rows of the set, without values of clients: these values are in `params`. */
  condition: string;
  params: Record<string, unknown>;
}

/** A ClickHouse table with one row for each event. */
type EventTableName = 'events' | 'events_by_entity';

/** How many events of a set one partition of a stream has, and the offset after the last of them. */
interface PartitionEventCount {
  partition: number;
  end: number;
  events: number;
}

/**
 * SQL condition: the offset of the row is below the end offset of its partition in the parameter `below`. A partition
 * that is not in this map has the end 0, so none of its rows match.
 */
export const belowEndCondition = 'offset < {below:Map(UInt16, UInt64)}[partition]';

/** Finds, counts and deletes sets of rows in ClickHouse. */
export class RowRemover {
  constructor(readonly connection: ClickHouseConnection) {}

  /** Runs a SELECT for a removal. */
  lookUp<Row extends readonly unknown[]>(query: string, params?: Record<string, unknown>): Promise<Row[]> {
    return this.connection.select<Row>(query, { params, purpose: 'lookup' });
  }

  /** Returns, for each partition, the number of distinct offsets in the set and the offset after the last one. */
  async countByPartition(set: RowSet, tables: readonly EventTableName[]): Promise<PartitionEventCount[]> {
    const query = `SELECT partition, max(offset) + 1, groupBitmap(offset) FROM (${rowsOf(set, tables)}) GROUP BY partition`;
    const rows = await this.lookUp<[number, number, number]>(query, paramsOf(set));
    return rows.map(([partition, end, events]) => ({ partition, end, events }));
  }

  /**
   * Records the offsets of the set as removed, before the rows are removed: counts exclude them from now on.
   * Idempotent, because it sets bits.
   */
  async recordRemovedOffsets(set: RowSet, tables: readonly EventTableName[]): Promise<void> {
    const statement = `INSERT INTO removed_positions (stream, partition, segment, offsets)
SELECT stream, partition, intDiv(offset, 1048576) AS segment, groupBitmapState(toUInt32(offset % 1048576))
FROM (${rowsOf(set, tables)})
GROUP BY stream, partition, segment`;
    await this.connection.command(statement, paramsOf(set));
  }

  /** Deletes the rows of the set from a table. Resolves when no answer of ClickHouse contains them any more. */
  remove(table: string, set: RowSet): Promise<void> {
    return this.connection.command(
      `DELETE FROM ${table} WHERE ${whereOf(set)}`,
      paramsOf(set),
      deleteSettings,
    );
  }

  /**
   * Deletes the rows of the set from a table if `found`, by default the same set, has any. A DELETE that matches nothing
   * still scans the whole table.
   */
  async removeIfAny(table: string, set: RowSet, found = set): Promise<void> {
    const query = `SELECT 1 FROM ${table} WHERE ${whereOf(found)} LIMIT 1`;
    if ((await this.lookUp(query, paramsOf(found))).length > 0) await this.remove(table, set);
  }
}

/** Returns the sum of the numbers of events over all partitions. */
export function totalEvents(found: readonly PartitionEventCount[]): number {
  return found.reduce((sum, { events }) => sum + events, 0);
}

function rowsOf(set: RowSet, tables: readonly EventTableName[]): string {
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
