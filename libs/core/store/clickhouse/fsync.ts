import type { StoreClickHouseClient } from './connection/store-clickhouse-client.js';

/**
 * Makes ClickHouse sync each insert to the disk before it answers, with the directory of the new part, or not, whatever
 * the server's default is. This alters the tables of the database that differ. Tables filled by views are synced by the
 * same insert. Without it, a machine that loses power loses inserts whose offsets are committed.
 * Source: https://clickhouse.com/docs/operations/settings/merge-tree-settings#fsync_after_insert
 */
export async function applyFsync(connection: StoreClickHouseClient, synced: boolean): Promise<void> {
  const setting = `\\b(fsync_after_insert|fsync_part_directory) = (${synced ? '1|true' : '0|false'})\\b`;
  const differing = await connection.select<[string]>(
    `SELECT name FROM system.tables
    WHERE database = currentDatabase() AND endsWith(engine, 'MergeTree')
      AND countMatches(create_table_query, {setting:String}) != 2
    ORDER BY name`,
    { params: { setting }, purpose: 'lookup' },
  );
  const value = synced ? 1 : 0;
  for (const [table] of differing)
    await connection.command(
      `ALTER TABLE {table:Identifier} MODIFY SETTING fsync_after_insert = ${value}, fsync_part_directory = ${value}`,
      { table },
    );
}
